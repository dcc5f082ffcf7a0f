import { customType } from 'drizzle-orm/sqlite-core';
import type { ConvertCustomConfig, SQLiteCustomColumnBuilder } from 'drizzle-orm/sqlite-core';
import type { z } from 'zod';

interface Stored<S extends z.ZodType> {
  data: z.infer<S>;
  driverData: string | null;
}

/** A column that holds JSON: written as text, and parsed by the schema each time it is read. */
export function json<S extends z.ZodType>(
  name: string,
  schema: S,
): SQLiteCustomColumnBuilder<ConvertCustomConfig<string, Stored<S>>> {
  return customType<Stored<S>>({
    dataType: () => 'text',
    // A prepared statement's null comes through here too, and has to stay SQL's null.
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (text) => schema.parse(JSON.parse(text ?? 'null')),
  })(name);
}
