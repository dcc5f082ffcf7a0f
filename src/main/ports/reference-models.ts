import type { Secret } from '../../shared/kernel/secret.ts';
import type { ModelCall } from './engine.ts';

/** A model that is asked for its opinion before an arbiter judges. */
export interface ReferenceModel {
  /** What people call it; opinions and failures are attributed by it. */
  readonly name: string;
  /** Whether its endpoint is spoken to as Anthropic's Messages or as OpenAI's Chat Completions. */
  readonly api: 'anthropic' | 'openai';
  readonly model: string;
  /** Without a slash at its end, as the API's own clients take it: OpenAI's ends with `/v1`, Anthropic's does not. */
  readonly baseUrl: string;
  readonly key: Secret;
}

/** Asks models for their opinions on what an arbiter is to judge. */
export interface ReferenceModels {
  /** Asks them all at once, and waits for the last. Never rejects; an abort of the signal makes failures of those that are open. */
  ask(
    models: readonly ReferenceModel[],
    question: ArbiterQuestion,
    signal: AbortSignal,
  ): Promise<Consultation>;
}

/** The arbiter's role and prompt. Without the turn's nonce: it is nobody else's. */
export interface ArbiterQuestion {
  readonly system: string;
  readonly prompt: string;
}

/** What came of asking all of them. */
export interface Consultation {
  /** Numbered from 1, in the order in which the models were named. */
  readonly opinions: readonly Opinion[];
  /** Those that gave none, to be shown. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
  /** What was used, by failures too where it is known. */
  readonly calls: readonly ModelCall[];
  /** For the end of the arbiter's prompt; empty where there are no opinions. */
  readonly block: string;
}

/** What one of them said. */
export interface Opinion {
  readonly number: number;
  readonly name: string;
  readonly text: string;
}
