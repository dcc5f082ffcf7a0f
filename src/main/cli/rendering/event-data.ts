import type { EventView, LiveView } from '../../../shared/contract/views.ts';
import { oneLine, safeText } from './values.ts';

const MAX_LINE_CHARACTERS = 160;

/** What an event carries, read with care: events of other versions may carry something else. */
export class EventData {
  readonly #data: Readonly<Record<string, unknown>>;

  public constructor(source: Pick<EventView | LiveView, 'data'>) {
    this.#data = source.data;
  }

  /** A text, safe to show; null where there is none or it is empty. */
  public text(name: string): string | null {
    const value = this.#data[name];
    const text = typeof value === 'string' ? safeText(value) : '';
    return text === '' ? null : text;
  }

  /** A text on one line, cut where it is too long for one. */
  public line(name: string): string | null {
    const line = oneLine(this.text(name) ?? '', MAX_LINE_CHARACTERS);
    return line === '' ? null : line;
  }

  public number(name: string): number | null {
    const value = this.#data[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  public flag(name: string): boolean | null {
    const value = this.#data[name];
    return typeof value === 'boolean' ? value : null;
  }

  /** A record; an empty one where there is none. */
  public record(name: string): EventData {
    const value = this.#data[name];
    return new EventData({ data: isRecord(value) ? value : {} });
  }

  /** The records of a list. */
  public records(name: string): EventData[] {
    const value = this.#data[name];
    return Array.isArray(value) ? value.filter(isRecord).map((data) => new EventData({ data })) : [];
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
