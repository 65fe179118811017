/**
 * The messages that internal/wire of the Go program sets down
 * (testdata/golden.json), as the extension takes and makes them.
 */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';
import {OLDEST, PROTOCOL} from '../worker/wire.js';

/** @type {{name: string, from: string, to: string, frame: any}[]} */
const golden = JSON.parse(readFileSync(new URL('../../internal/wire/testdata/golden.json', import.meta.url), 'utf8'));

/** @param {string} name */
function frame(name) {
  const g = golden.find((g) => g.name === name);
  if (!g) throw new Error(`the golden messages have no ${JSON.stringify(name)}`);
  return structuredClone(g.frame);
}

/** The keys of an object, and of those in it. @param {any} v @returns {any} */
function shape(v) {
  if (Array.isArray(v)) return v.length ? [shape(v[0])] : [];
  if (v === null || typeof v !== 'object') return typeof v;
  return Object.fromEntries(Object.keys(v).sort().map((k) => [k, shape(v[k])]));
}

test('every golden message to or from the extension is in a test here', () => {
  const names = golden.filter((g) => g.from === 'extension' || g.to === 'extension').map((g) => g.name);
  const here = readFileSync(new URL(import.meta.url), 'utf8').replaceAll('\\\'', '\'');
  assert.deepEqual(names.filter((n) => !here.includes(`'${n}'`)), []);
});

test('the hello, its welcome, and the link up and down', async () => {
  const rig = new Rig();
  rig.welcome = frame('browser\'s welcome').result;
  await rig.start();
  const hello = rig.asked.find((m) => m.method === 'browser.hello');
  assert.deepEqual(shape(hello), shape(frame('browser\'s hello')));
  assert.equal(hello.params.protocol, PROTOCOL);
  assert.equal(hello.params.oldest, OLDEST);
  assert.match(hello.params.profile, /^[0-9a-f]{32}$/);
  // The welcome names the agents that are there.
  const agents = rig.welcome.agents.map((/** @type {any} */ a) => a.id);
  assert.ok(agents.length > 0);
  for (const id of agents) assert.equal(rig.worker.state.agents.get(id)?.live, true);

  const down = frame('host disconnected');
  rig.send(down);
  assert.match(rig.worker.link.reason, new RegExp(down.params.reason.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  rig.send(frame('host connected'));
  await until(() => rig.worker.link.phase === 'connected');
});

test('agents come and go, and their requests are answered in the golden form', async () => {
  const rig = await new Rig().start();
  const opened = frame('agent opened');
  rig.send(opened);
  const agent = opened.params.id;
  assert.equal(rig.worker.state.agents.get(agent)?.info.title, opened.params.title);

  /** @param {number} id */
  const answer = async (id) => {
    await until(() => rig.port.sent.some((m) => m.id === id && !m.method));
    return rig.port.sent.find((m) => m.id === id && !m.method);
  };
  // A request at the browser's level, and an error.
  const list = frame('request at the browser\'s level');
  rig.send(list);
  const listed = await answer(list.id);
  assert.deepEqual([listed.agent, listed.result], [agent, {targetInfos: []}]);
  await rig.ask(rig.page(), 'stop', {agent});
  const error = frame('error response');
  rig.send({...list, id: 99});
  assert.deepEqual({...await answer(99), id: error.id}, error);
  await rig.ask(rig.page(), 'resume', {agent});

  // A request of a tab that is forwarded, its answer, an event of a child session.
  for (let i = 0; i < 3; i++) await rig.call(agent, 'Target.createTarget', {url: 'https://a.example/'});
  await rig.call(agent, 'Target.attachToTarget', {targetId: 't3', flatten: true});
  const want = frame('response');
  const forwarded = frame('forwarded request');
  rig.browser.onCommand = () => want.result;
  rig.send({...forwarded, id: 100});
  assert.deepEqual(await answer(100), {...want, id: 100});
  const run = frame('sequence');
  rig.browser.onCommand = (_, method) => (method === 'DOM.resolveNode' ? {object: {objectId: '7.1'}} : {result: {value: {}}});
  rig.send({...run, id: 101});
  assert.deepEqual(shape(await answer(101)), shape({...frame('sequence\'s answers'), id: 101}));
  rig.browser.onCommand = () => new Promise(() => {});
  rig.send({...run, id: frame('cancel passed on').params.id});
  rig.send(frame('cancel passed on'));
  assert.equal((await answer(run.id)).result.ended, 'cancel');
  const event = frame('event of a child session');
  rig.browser.chrome.debugger.onEvent.fire(
    {tabId: rig.tabId(agent, 't3'), sessionId: event.sessionId.split(':')[1]}, event.method, event.params);
  assert.deepEqual(rig.events.at(-1), event);

  rig.send(frame('agent closed'));
  assert.equal(rig.worker.state.agents.get(agent)?.live, false);
});

test('the settings\' requests and what they are answered with', async () => {
  const rig = await new Rig().start();
  for (const [ask, answered] of [
    ['pairings list', 'pairings listed'], ['pairings add', 'pairing added'], ['pairings rename', ''], ['pairings revoke', ''],
    ['pairings limit', ''],
  ]) {
    const {method, params} = frame(ask);
    const result = answered ? frame(answered).result : {};
    rig.helper = () => result;
    const before = rig.asked.length;
    const got = await rig.worker.link.request(method, params);
    assert.deepEqual(got, result);
    assert.deepEqual(shape(rig.asked[before]), shape(frame(ask)));
  }
  const changed = frame('pairings changed');
  rig.send(changed);
  await settled();
});

test('a long message comes in parts', async () => {
  const rig = await new Rig().start();
  const text = JSON.stringify(frame('agent opened'));
  const {part} = frame('part');
  const half = Math.ceil(text.length / 2);
  const data = Buffer.from(text);
  rig.send({part: {...part, index: 0, total: 2, data: data.subarray(0, half).toString('base64')}});
  rig.send({part: {...part, index: 1, total: 2, data: data.subarray(half).toString('base64')}});
  assert.ok(rig.worker.state.agents.get(frame('agent opened').params.id)?.live);
});

test('after the word that the helper stops on purpose nothing starts it again', async () => {
  const rig = await new Rig().start();
  const {ports} = rig.browser;
  const before = ports.length;
  rig.send(frame('helper stopping'));
  await settled();
  assert.equal(ports.length, before);
  assert.notEqual(rig.worker.link.phase, 'connected');
});

test('a ping goes out now and then', async (t) => {
  t.mock.timers.enable({apis: ['setInterval']});
  const rig = await new Rig().start();
  const before = rig.port.sent.length;
  t.mock.timers.tick(60_000);
  const sent = rig.port.sent.slice(before);
  assert.ok(sent.length > 0);
  for (const m of sent) assert.deepEqual(m, frame('ping'));
});

test('the helper is told of the groups, with numbers alone', async () => {
  const rig = await new Rig().start();
  const want = frame('the groups');
  const opened = frame('agent opened');
  rig.send(opened);
  await until(() => rig.groups?.length === 1);
  assert.deepEqual(shape({groups: rig.groups}), shape(want.params));
  assert.equal(rig.groups[0].agent, opened.params.id);
  assert.equal(rig.groups[0].tabs, 0);
  await rig.call(opened.params.id, 'Target.createTarget', {url: 'about:blank'});
  await until(() => rig.groups[0].tabs === 1);
  // A helper that comes anew is told again.
  rig.groups = null;
  rig.send(frame('host disconnected'));
  rig.send(frame('host connected'));
  await until(() => rig.groups !== null);
});
