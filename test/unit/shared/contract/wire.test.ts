import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  badParams,
  encodeLine,
  errorOfFailure,
  failureOfError,
  readInput,
  readRequest,
  readResponse,
} from '../../../../src/shared/contract/wire.ts';

describe('readRequest', () => {
  it('reads back what was written, on one line', () => {
    const request = fc.record({
      id: fc.string(),
      method: fc.string({ minLength: 1 }),
      params: fc.jsonValue(),
    });
    fc.assert(
      fc.property(request, (written) => {
        const line = encodeLine(written);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        const plain: unknown = JSON.parse(JSON.stringify(written));
        expect(readRequest(line)).toEqual({ id: written.id, request: { ok: true, value: plain } });
      }),
    );
  });

  it.each(['', 'no json', '{"id":"1"', '[]', '7', 'null'])('answers %j with an empty id', (line) => {
    expect(readRequest(line)).toMatchObject({ id: '', request: { ok: false, problem: { code: -32600 } } });
  });

  it('keeps the id of JSON that is no request', () => {
    expect(readRequest('{"id":"7"}')).toMatchObject({ id: '7', request: { ok: false } });
    expect(readRequest('{"id":7,"method":"ping"}')).toMatchObject({ id: '', request: { ok: false } });
  });
});

describe('failures on the wire', () => {
  it('arrive as they were', () => {
    for (const failure of [
      { tag: 'disk_full', message: 'The disk is full.', next: 'Make room.' },
      { tag: 'not_found', message: 'There is no task "x".' },
    ]) {
      const line = encodeLine({ id: '1', error: errorOfFailure(failure) });
      const response = readResponse(line);
      if (response === null || !('error' in response)) throw new Error(`No error was read from ${line}`);
      expect(failureOfError(response.error)).toEqual(failure);
    }
  });

  it('have AgentComms’ code for what is not there', () => {
    expect(errorOfFailure({ tag: 'not_found', message: '' }).code).toBe(-32604);
    expect(errorOfFailure({ tag: 'unknown_escalation', message: '' }).code).toBe(-32604);
    expect(errorOfFailure({ tag: 'disk_full', message: '' }).code).toBe(-32603);
  });

  it('have the code for bad parameters wherever these were noticed', () => {
    expect(errorOfFailure(badParams('tasks.list', 'limit: too small'))).toEqual({
      code: -32602,
      message: 'Parameters of tasks.list: limit: too small.',
      data: { tag: 'bad_params' },
    });
  });

  it('are told by their code where another program wrote them', () => {
    expect(failureOfError({ code: -32601, message: 'unknown method' }).tag).toBe('unknown_method');
  });
});

describe('readInput', () => {
  it('fills in what may be left out', () => {
    expect(readInput('tasks.list', {})).toEqual({ ok: true, value: { limit: 50 } });
  });

  it('says where the problem is', () => {
    const read = readInput('tasks.list', { limit: 0, colour: 'red' });
    expect(read.ok ? '' : read.problem).toMatch(/limit: .*colour/s);
  });
});
