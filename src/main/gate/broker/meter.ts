import { LineReader } from '../../../shared/contract/lines.ts';
import type { Api } from '../route.ts';
import { observe } from './observation.ts';
import type { Observation, ObservedError } from './observation.ts';
import { noTokens } from './tokens.ts';
import type { CallTokens } from './tokens.ts';

/**
 * Most bytes of one line of a stream, or of an answer that is no stream, that are kept to be read: an OpenAI stream
 * ends with an event that repeats the whole answer.
 */
const MAX_KEPT_BYTES = 8_388_608;

/** Counts what passes by without touching it. */
export interface Meter {
  take(chunk: Uint8Array): void;
  /** What was counted; called once, when all has passed or nothing more will. */
  finish(): Reading;
}

export interface Reading {
  /** Null where the answer did not say it. */
  readonly model: string | null;
  readonly tokens: CallTokens;
  /** Whether the answer counted any tokens. */
  readonly counted: boolean;
  /** Errors that came within the answer, whose status was a success. */
  readonly errors: readonly ObservedError[];
}

/** A meter for an answer of this content type. */
export function meterFor(api: Api, contentType: string | undefined): Meter {
  return contentType?.startsWith('text/event-stream') === true ? new StreamMeter(api) : new WholeMeter(api);
}

/** Usage that is not null, or an error. */
const telling = /"(?:usage|error)"\s*:\s*\{|"type"\s*:\s*"error"/;

/** Reads server-sent events. Of their many lines only those are parsed that can tell something. */
class StreamMeter implements Meter {
  readonly #api: Api;
  readonly #lines = new LineReader(MAX_KEPT_BYTES);
  readonly #tally = new Tally();

  public constructor(api: Api) {
    this.#api = api;
  }

  public take(chunk: Uint8Array): void {
    for (const line of this.#lines.push(chunk)) {
      if (line.kind === 'text') this.#read(line.text);
    }
  }

  public finish(): Reading {
    for (const line of this.#lines.end()) {
      if (line.kind === 'text') this.#read(line.text);
    }
    return this.#tally.reading();
  }

  #read(line: string): void {
    if (!line.startsWith('data:') || !this.#tells(line)) return;
    this.#tally.add(observe(this.#api, line.slice('data:'.length)));
  }

  /** Within texts of an answer quotes are escaped, so that what an agent writes looks like neither. */
  #tells(line: string): boolean {
    return telling.test(line) || (this.#tally.model === null && line.includes('"model"'));
  }
}

/** Reads an answer that is one JSON document. */
class WholeMeter implements Meter {
  readonly #api: Api;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  public constructor(api: Api) {
    this.#api = api;
  }

  public take(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_KEPT_BYTES) this.#chunks.push(chunk);
    else this.#chunks.length = 0;
  }

  public finish(): Reading {
    const tally = new Tally();
    tally.add(observe(this.#api, Buffer.concat(this.#chunks).toString('utf8')));
    return tally.reading();
  }
}

/** Adds up what the documents of one answer say: counts are running totals, so the last of each kind holds. */
class Tally {
  #model: string | null = null;
  #tokens: CallTokens | null = null;
  readonly #errors: ObservedError[] = [];

  public get model(): string | null {
    return this.#model;
  }

  public add(observation: Observation | null): void {
    if (observation === null) return;
    this.#model ??= observation.model;
    if (observation.tokens !== null) {
      this.#tokens = { ...(this.#tokens ?? noTokens), ...observation.tokens };
    }
    if (observation.error !== null) this.#errors.push(observation.error);
  }

  public reading(): Reading {
    return {
      model: this.#model,
      tokens: this.#tokens ?? noTokens,
      counted: this.#tokens !== null,
      errors: this.#errors,
    };
  }
}
