import { customType } from 'drizzle-orm/sqlite-core';
import type { ConvertCustomConfig, SQLiteCustomColumnBuilder } from 'drizzle-orm/sqlite-core';
import type { z } from 'zod';

interface Stored<S extends z.ZodType> {
  data: z.infer<S>;
  driverData: string;
}

/** A column that holds JSON: written as text, and parsed by the schema each time it is read. Never null. */
export function json<S extends z.ZodType>(
  name: string,
  schema: S,
): SQLiteCustomColumnBuilder<ConvertCustomConfig<string, Stored<S>>> {
  return customType<Stored<S>>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => schema.parse(JSON.parse(text)),
  })(name);
}
