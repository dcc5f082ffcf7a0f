import { z } from 'zod';
import { readJsonFile } from '../json-file.ts';

/** Where one snapshot is laid out. The index is outside of the folder that is mounted, so that it is ours alone. */
export interface Spot {
  /** The files, once they are whole. */
  readonly folder: string;
  /** All else about it: the folder while it is made, the index that knows its files, the record. */
  readonly aside: string;
  readonly unfinished: string;
  readonly indexFile: string;
  readonly recordFile: string;
}

/** What is remembered of a laid-out snapshot. Written last, so its presence says that the folder is whole. */
const recordSchema = z.strictObject({
  leftOut: z.array(z.string()).readonly(),
  linksLeftOut: z.array(z.string()).readonly(),
  /** See `FolderMarks`; bytes as characters. */
  marks: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
});

/** What is written down of a folder that was laid out. */
export type LayingRecord = z.infer<typeof recordSchema>;

/** Null where the folder was never made whole. A record that is damaged is as good as none: nobody's work is in it. */
export async function recordIn(spot: Spot): Promise<LayingRecord | null> {
  const record = await readJsonFile(spot.recordFile, recordSchema, '');
  return record.ok ? record.value : null;
}
