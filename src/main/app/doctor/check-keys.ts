import type { CheckView } from '../../../shared/contract/views.ts';
import { describeFailure } from '../../../shared/kernel/result.ts';
import { keptBadly, readKey } from '../config/keys.ts';
import type { Config, KeySource } from '../config/schema.ts';

/** Each key that the settings name and that is missing, or kept where others can read it. */
export function checkKeys(config: Config, environment: NodeJS.ProcessEnv): CheckView[] {
  return namedKeys(config).flatMap(({ name, key }) => {
    const read = readKey(key, environment);
    const says = read.ok ? keptBadly(key) : describeFailure(read.failure);
    return says === null ? [] : [{ name, ok: false, required: false, says }];
  });
}

function namedKeys({ engines, referenceModels }: Config): { name: string; key: KeySource }[] {
  const ofEngines = Object.entries(engines).flatMap(([engine, { accounts }]) =>
    (accounts ?? []).flatMap((account) =>
      'key' in account ? [{ name: `account ${account.name} of ${engine}`, key: account.key }] : [],
    ),
  );
  return [
    ...ofEngines,
    ...referenceModels.map(({ name, key }) => ({ name: `reference model ${name}`, key })),
  ];
}
