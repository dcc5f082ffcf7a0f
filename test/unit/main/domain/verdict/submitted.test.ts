import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  checkSubmission,
  emptyReport,
  submissionSchemas,
} from '../../../../../src/main/domain/verdict/submission.ts';
import {
  explainReading,
  readProgramOutput,
  readSubmissions,
} from '../../../../../src/main/domain/verdict/submitted.ts';
import { roles } from '../../../../../src/shared/vocabulary/words.ts';

const nonce = 'n-1';
const done = { verdict: 'DONE', nonce };
const blocked = { verdict: 'BLOCKED', nonce };
const review = {
  verdict: 'DONE_WITH_CONCERNS',
  nonce,
  findings: [{ criterion: 'C1', severity: 'blocking', place: 'src/a.ts:3', text: 'The retry has no limit.' }],
  judgements: [
    { id: 'C1', judgement: 'unmet' },
    { id: 'F2', judgement: 'met' },
  ],
  criteria: ['Retries end.'],
};

function refusal(role: 'owner' | 'reviewer' | 'arbiter', call: unknown): string {
  const checked = checkSubmission(role, nonce, call);
  return checked.ok ? 'accepted' : `${checked.failure.tag}: ${checked.failure.message}`;
}

describe('checkSubmission', () => {
  it('takes a review and fills in what it left out', () => {
    expect(checkSubmission('reviewer', nonce, review)).toEqual({
      ok: true,
      value: {
        verdict: 'DONE_WITH_CONCERNS',
        report: {
          ...emptyReport,
          findings: [
            {
              criterion: 'C1',
              severity: 'blocking',
              place: 'src/a.ts:3',
              text: 'The retry has no limit.',
              evidence: null,
            },
          ],
          judgements: review.judgements,
          criteria: ['Retries end.'],
        },
      },
    });
  });

  it('takes a ruling', () => {
    const ruling = {
      verdict: 'REVISE',
      nonce,
      criteria: ['Fast.'],
      dropped: ['C2'],
      overruled: ['F1', 'F3'],
    };
    expect(checkSubmission('arbiter', nonce, ruling)).toEqual({
      ok: true,
      value: {
        verdict: 'REVISE',
        report: { ...emptyReport, criteria: ['Fast.'], dropped: ['C2'], overruled: ['F1', 'F3'] },
      },
    });
  });

  it('refuses what another turn, another role or nobody could have said, and names it', () => {
    expect(refusal('reviewer', { ...done, nonce: 'n-0' })).toMatch(/^wrong_nonce: /);
    expect(refusal('reviewer', { verdict: 'DONE' })).toMatch(/^wrong_shape: .*needs: nonce: /);
    expect(refusal('reviewer', { verdict: 'PROCEED', nonce })).toMatch(
      /needs: verdict: .*"DONE"\|"DONE_WITH_CONCERNS"/,
    );
    expect(refusal('arbiter', done)).toMatch(/^wrong_shape: The arbiter's/);
    expect(refusal('owner', { ...done, findings: [] })).toContain('Unrecognized key: "findings"');
    expect(refusal('reviewer', { ...done, overruled: ['F1'] })).toContain('Unrecognized key: "overruled"');
    expect(refusal('reviewer', { ...done, finding: [] })).toContain('Unrecognized key: "finding"');
    expect(refusal('reviewer', { ...done, judgements: [{ id: 'X1', judgement: 'met' }] })).toContain(
      'judgements.0.id: ',
    );
    expect(refusal('arbiter', { verdict: 'RESET', nonce, dropped: ['C0'] })).toContain(
      'A criterion is named like "C1"',
    );
    expect(refusal('reviewer', 'DONE')).toMatch(/^wrong_shape: /);
  });

  it('bounds what it takes', () => {
    const finding = { criterion: null, severity: 'minor', text: 'x' };
    const findings = (count: number): unknown => ({
      ...done,
      findings: Array.from({ length: count }, () => finding),
    });
    const criteria = (count: number): unknown => ({
      ...done,
      criteria: Array.from({ length: count }, () => 'x'),
    });
    const text = (length: number): unknown => ({
      ...done,
      findings: [{ ...finding, text: 'x'.repeat(length) }],
    });
    expect(refusal('reviewer', findings(50))).toBe('accepted');
    expect(refusal('reviewer', findings(51))).toContain(' findings: ');
    expect(refusal('owner', criteria(7))).toBe('accepted');
    expect(refusal('owner', criteria(8))).toContain(' criteria: ');
    expect(refusal('reviewer', criteria(8))).toContain(' criteria: ');
    expect(refusal('arbiter', { verdict: 'REVISE', nonce, criteria: ['x'.repeat(4_001)] })).toContain(
      'criteria.0: ',
    );
    expect(refusal('reviewer', text(4_000))).toBe('accepted');
    expect(refusal('reviewer', text(4_001))).toContain('findings.0.text: ');
    expect(refusal('reviewer', { ...done, findings: [{ ...finding, text: ' ' }] })).toContain(
      'findings.0.text: ',
    );
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.constantFrom(...roles), fc.anything(), (role, call) => {
        expect(checkSubmission(role, nonce, call).ok).toBe(false);
      }),
    );
  });

  it.each(roles)('can be told to a model as a JSON schema (%s)', (role) => {
    const schema = z.toJSONSchema(submissionSchemas[role], { io: 'input' });
    expect(schema).toMatchObject({
      type: 'object',
      required: ['verdict', 'nonce'],
      additionalProperties: false,
    });
  });
});

describe('readSubmissions', () => {
  it('takes the last report of several calls that agree', () => {
    const read = readSubmissions('reviewer', nonce, [
      { ...done, criteria: ['first'] },
      { ...done, criteria: ['last'] },
    ]);
    expect(read.reading).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'tool' });
    expect(read.report.criteria).toEqual(['last']);
  });

  it('reads two different verdicts as none', () => {
    for (const calls of [
      [done, blocked],
      [blocked, done],
      [done, blocked, done],
    ]) {
      const { reading, report } = readSubmissions('reviewer', nonce, calls);
      expect(reading).toMatchObject({ kind: 'none' });
      expect(report).toEqual(emptyReport);
    }
  });

  it('does not count calls that were refused', () => {
    const calls = [{ ...blocked, nonce: 'n-0' }, done, { verdict: 'MAYBE', nonce }];
    expect(readSubmissions('reviewer', nonce, calls).reading).toMatchObject({ verdict: 'DONE' });
  });

  it('says why there is none', () => {
    expect(readSubmissions('reviewer', nonce, []).reading).toEqual({
      kind: 'none',
      reason: 'submit_verdict was not called.',
    });
    const { reading } = readSubmissions('reviewer', nonce, [{ ...done, nonce: 'n-0' }]);
    expect(explainReading(reading).reason).toContain('nonce');
  });
});

describe('readProgramOutput', () => {
  it('reads one JSON object as a submission, with or without the nonce', () => {
    for (const submission of [done, { verdict: 'DONE' }, { verdict: 'DONE', text: 'All good.' }]) {
      const read = readProgramOutput('reviewer', nonce, `\ufeff ${JSON.stringify(submission, null, 2)}\r\n`);
      expect(read.reading).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'tool' });
      expect(read.text).toBe('text' in submission ? 'All good.' : '');
    }
  });

  it('keeps what a submission carries', () => {
    const stdout = JSON.stringify({ ...review, nonce: undefined });
    expect(readProgramOutput('reviewer', nonce, stdout).report.judgements).toEqual(review.judgements);
  });

  it('refuses a submission that is not right, and shows all of it', () => {
    for (const wrong of [
      { ...done, nonce: 'n-0' },
      { verdict: 'PROCEED' },
      { verdict: null },
      { ...done, text: 1 },
      { ...done, x: 1 },
    ]) {
      const stdout = JSON.stringify(wrong);
      expect(readProgramOutput('reviewer', nonce, stdout)).toMatchObject({
        reading: { kind: 'none' },
        text: stdout,
      });
    }
  });

  it.each([
    ['DONE\nAll good.', 'DONE'],
    ['{"note":"no verdict in here"}', null],
    ['{"verdict":"DONE"', null],
    ['{"verdict":"DONE"}\n{"verdict":"BLOCKED"}', null],
    ['[{"verdict":"DONE"}]', null],
    ['BLOCKED: no key\n{"verdict":"DONE"}', 'BLOCKED'],
    ['', null],
  ])('reads %j as text', (stdout, verdict) => {
    const read = readProgramOutput('reviewer', nonce, stdout);
    expect(explainReading(read.reading).verdict).toBe(verdict);
    expect(read.text).toBe(stdout);
    expect(read.report).toEqual(emptyReport);
  });
});

describe('explainReading', () => {
  it('always has a reason', () => {
    expect(explainReading({ kind: 'verdict', verdict: 'DONE', via: 'text' })).toEqual({
      verdict: 'DONE',
      reason: 'DONE: a status line says it, and nothing takes it back.',
    });
    expect(explainReading({ kind: 'verdict', verdict: 'RESET', via: 'tool' }).reason).toContain(
      'submit_verdict',
    );
    expect(explainReading({ kind: 'none', reason: 'Because.' })).toEqual({
      verdict: null,
      reason: 'Because.',
    });
  });
});
