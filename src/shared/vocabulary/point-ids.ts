import { z } from 'zod';

/** Names of the points of one task: `C1`, `C2`, … for its criteria, `F1`, `F2`, … for its findings. */

export const criterionIdSchema = z
  .templateLiteral(['C', z.int()])
  .refine((id) => /^C[1-9]\d{0,5}$/.test(id), 'A criterion is named like "C1".');

export const findingIdSchema = z
  .templateLiteral(['F', z.int()])
  .refine((id) => /^F[1-9]\d{0,5}$/.test(id), 'A finding is named like "F1".');

export type CriterionId = z.infer<typeof criterionIdSchema>;
export type FindingId = z.infer<typeof findingIdSchema>;
