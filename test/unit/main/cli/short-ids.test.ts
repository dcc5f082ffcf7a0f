import { expect, it } from 'vitest';
import { idEndingIn } from '../../../../src/main/cli/short-ids.ts';

const ids = [
  'task_01JAAAAAAAAAAAAAAAAAAAXY12',
  'task_01JAAAAAAAAAAAAAAAAAAAXZ12',
  'task_01JAAAAAAAAAAAAAAAAAAAXZ99',
];
const find = (text: string) => idEndingIn(text, ids, 'task', 'tribune tasks');

it.each([
  ['XY12', ids[0]],
  ['xz99', ids[2]],
  [ids[1] ?? '', ids[1]],
])('%s names %s', (text, id) => {
  expect(find(text)).toEqual({ ok: true, value: id });
});

it('names none by too little, by the beginning, or where there is none', () => {
  for (const text of ['99', 'task_01J', 'ABCD', ''])
    expect(find(text)).toMatchObject({ ok: false, failure: { tag: 'not_found' } });
});

it('refuses to choose', () => {
  const several = idEndingIn('AAXZ', ['a_AAXZ', 'b_AAXZ'], 'task', 'tribune tasks');
  expect(several).toMatchObject({ ok: false, failure: { tag: 'usage' } });
});
