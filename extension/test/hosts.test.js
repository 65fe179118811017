import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {hostConfigs, hostNamed} from '../hosts.js';

/** What the helper sends, as Go's tests write it down. */
const golden = JSON.parse(readFileSync(new URL('../../internal/wire/testdata/golden.json', import.meta.url), 'utf8'));
const added = golden.find((/** @type {any} */ m) => m.name === 'pairing added').frame.result;

test('each host has the helper\'s snippet, and any other one the entry by itself', () => {
  const configs = hostConfigs(added);
  assert.deepEqual([...configs.keys()], ['codex', 'other']);
  assert.deepEqual(configs.get('codex'), {
    name: 'Codex', file: '~/.codex/config.toml', snippet: '[mcp_servers.sidekick]\ncommand = "npx"',
    reload: 'Codex takes it when it is next started.',
  });
  assert.deepEqual(JSON.parse(configs.get('other')?.snippet ?? ''), added.config);
});

test('a helper of before, which knows no hosts, is enough', () => {
  const {hosts, ...before} = added;
  assert.ok(hosts);
  const configs = hostConfigs(before);
  assert.deepEqual([...configs.keys()], ['other']);
  assert.equal(hostNamed(configs, 'Codex'), 'other');
  assert.equal(hostConfigs({}).size, 0);
});

test('the name that the user typed chooses the host', () => {
  const configs = hostConfigs({config: {}, hosts: [{id: 'claude-code', name: 'Claude Code'}, {id: 'vscode', name: 'VS Code'}]});
  for (const [name, id] of [['Claude Code', 'claude-code'], ['claude-code', 'claude-code'], ['vs code', 'vscode'], ['Work', 'other'], ['…', 'other']]) {
    assert.equal(hostNamed(configs, name), id, name);
  }
});
