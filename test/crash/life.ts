/** One life of a host: goes on with the scenario until it is finished, or until it dies. */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { describeFailure } from '../../src/shared/kernel/result.ts';
import { stepsWatchedBy } from '../../src/shared/kernel/steps.ts';
import { openHost } from '../../src/main/app/host.ts';
import { deathSchema, dyingAt } from './death.ts';
import { goOn } from './scenario.ts';

const orderSchema = z.object({
  dataDirectory: z.string(),
  project: z.string(),
  modelUrl: z.string(),
  recordFile: z.string(),
  death: deathSchema.nullable(),
});

export type Order = z.infer<typeof orderSchema>;

const [order = ''] = parseArgs({ allowPositionals: true }).positionals;
const { dataDirectory, project, modelUrl, recordFile, death } = orderSchema.parse(JSON.parse(order));
const host = await openHost({
  dataDirectory,
  environment: { ...process.env, ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: modelUrl },
  steps: stepsWatchedBy(dyingAt(death, recordFile)),
});
if (!host.ok) throw new Error(describeFailure(host.failure));
await goOn(host.value.service, project);
const problems = await host.value.close();
if (problems.length > 0) throw new Error(problems.join('\n'));
