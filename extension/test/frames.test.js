import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Joiner, MAX_FRAME, tooLarge} from '../worker/frames.js';

/**
 * Cuts a message as the native host does.
 * @param {unknown} m @param {number} message @param {number} bytes
 */
function cut(m, message, bytes) {
  const b = Buffer.from(JSON.stringify(m));
  const total = Math.ceil(b.length / bytes);
  return Array.from({length: total}, (_, index) => ({
    message, index, total, data: b.subarray(index * bytes, (index + 1) * bytes).toString('base64'),
  }));
}

test('parts become the message, though cut within a character', () => {
  const m = {id: 1, params: {text: 'a"\n€😀\u0000'.repeat(50)}};
  const j = new Joiner();
  const parts = cut(m, 1, 7);
  for (const p of parts.slice(0, -1)) assert.equal(j.add(p), undefined);
  assert.deepEqual(j.add(parts[parts.length - 1]), m);
});

test('parts of several messages may be interleaved', () => {
  const j = new Joiner();
  const a = cut({a: 'x'.repeat(30)}, 1, 10), b = cut({b: 'y'.repeat(30)}, 2, 10);
  /** @type {any[]} */
  const out = [];
  for (let i = 0; i < a.length; i++) out.push(j.add(a[i]), j.add(b[i]));
  assert.deepEqual(out.filter((x) => x !== undefined), [{a: 'x'.repeat(30)}, {b: 'y'.repeat(30)}]);
});

test('a gap drops that message and no other', () => {
  const j = new Joiner();
  const a = cut({a: 'x'.repeat(30)}, 1, 10), b = cut({b: 1}, 2, 4);
  j.add(a[0]);
  j.add(b[0]);
  assert.throws(() => j.add(a[2]), /out of order/);
  assert.throws(() => j.add(a[1]), /out of order/);
  assert.deepEqual(j.add(b[1]), {b: 1});
});

test('a number that is used again begins anew', () => {
  const j = new Joiner();
  const old = cut({a: 'x'.repeat(30)}, 1, 10), now = cut({b: 1}, 1, 4);
  j.add(old[0]);
  j.add(now[0]);
  assert.deepEqual(j.add(now[1]), {b: 1});
});

test('nonsense is refused', () => {
  const j = new Joiner();
  for (const total of [0, -1, 1.5, 1e9, NaN]) assert.throws(() => j.add({message: 1, index: 0, total, data: ''}), String(total));
  assert.throws(() => j.add({message: 1, index: 0, total: 1, data: Buffer.from('{').toString('base64')}), SyntaxError);
  assert.throws(() => j.add({message: 1, index: 0, total: 1, data: '%'}));
});

test('what is over 64 MiB is told before it is sent', () => {
  assert.equal(tooLarge({result: {data: 'x'.repeat(20 << 20)}}), false);
  assert.equal(tooLarge({result: {data: 'x'.repeat(MAX_FRAME)}}), true);
  // 12 Mi characters of six bytes each
  assert.equal(tooLarge({result: ['\u0001'.repeat(12 << 20)]}), true);
  assert.equal(tooLarge({result: null, list: [1, 'a', {b: undefined}]}), false);
});
