import { describeFailure } from '../../../shared/kernel/result.ts';
import type { Consult } from '../../rooms/parts.ts';
import type { ReferenceModel, ReferenceModels } from '../../ports/reference-models.ts';
import { readKey } from './keys.ts';
import type { Config } from './schema.ts';

/** Asks the models that the settings name; null where they name none. One whose key is missing gives no opinion. */
export function createConsult(
  { referenceModels }: Pick<Config, 'referenceModels'>,
  environment: NodeJS.ProcessEnv,
  asks: ReferenceModels,
): Consult | null {
  if (referenceModels.length === 0) return null;
  return async (question, signal) => {
    const models: ReferenceModel[] = [];
    const keyless: { name: string; reason: string }[] = [];
    for (const { key: source, ...model } of referenceModels) {
      const key = readKey(source, environment);
      if (key.ok) models.push({ ...model, key: key.value });
      else keyless.push({ name: model.name, reason: describeFailure(key.failure) });
    }
    const consultation = await asks.ask(models, question, signal);
    return { ...consultation, failures: [...keyless, ...consultation.failures] };
  };
}
