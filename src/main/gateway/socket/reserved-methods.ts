import { reservedMethods } from '../../../shared/contract/contract.ts';
import type { Service } from '../../../shared/contract/service.ts';
import { errorCodes, errorOfFailure } from '../../../shared/contract/wire.ts';
import type { WireError } from '../../../shared/contract/wire.ts';

export type Answered =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly problem: WireError };

const reserved: readonly string[] = reservedMethods;

export function isReserved(method: string): boolean {
  return reserved.includes(method);
}

/**
 * AgentComms' methods. Two say how the host is, as its clients expect it; the others keep their meaning, the
 * messaging of agents, and are not answered as long as there is none.
 */
export async function answerReserved(method: string, service: Service): Promise<Answered> {
  if (method === 'ping') return { ok: true, result: { pong: true } };
  if (method === 'status') return status(service);
  const message = `"${method}" is reserved for agent messaging, which this host does not offer.`;
  return { ok: false, problem: { code: errorCodes.unknownMethod, message } };
}

async function status(service: Service): Promise<Answered> {
  const host = await service.call('host.status', {});
  if (!host.ok) return { ok: false, problem: errorOfFailure(host.failure) };
  const startedAt = new Date(host.value.startedAt).toISOString();
  // No agent is registered for messaging, and no chat network connected.
  return { ok: true, result: { running: true, started_at: startedAt, agents: 0, providers: [] } };
}
