#!/usr/bin/env node
'use strict';
// Starts the program of this machine, which is in a package of its own. It
// stays out of the way: the program has the host's own pipes. Where npm runs
// install scripts, install.js puts the program itself in this file's place.
const { accessSync, chmodSync, constants, writeSync } = require('fs');

const fail = (why) => {
  writeSync(2, `sidekick-mcp: ${why}.\n`);
  process.exit(1);
};

// The program's file, or undefined after saying what is missing.
const find = () => {
  const { platform, arch } = process;
  const { name, version, optionalDependencies } = require('../package.json');
  const wanted = `${name}-${platform}-${arch}`;
  if (!(wanted in optionalDependencies)) {
    return fail(`there is no build for ${platform} on ${arch}; with Go you can build one: go install github.com/frogbotai/sidekick-mcp/cmd/sidekick-mcp@v${version}`);
  }
  let file;
  try {
    file = require.resolve(`${wanted}/bin/sidekick-mcp${platform === 'win32' ? '.exe' : ''}`);
  } catch {
    return fail(`the package ${wanted}, which holds the program for this machine, is not installed; install it with "npm install ${wanted}@${version}", or install ${name} again without --omit=optional`);
  }
  try {
    accessSync(file, constants.X_OK);
  } catch {
    // Some ways of copying node_modules lose the mode.
    try {
      chmodSync(file, 0o755);
    } catch (err) {
      return fail(`${file} may not be run, and that could not be mended (${err.code}); make it executable`);
    }
  }
  return file;
};

const file = find();
const args = process.argv.slice(2);

// Whoever is killed is to take the program along, even if it cannot say so any
// more and the host keeps the pipe open: the program watches these processes.
// npx says so by its command, the others by their name.
const { npm_command: command, npm_config_user_agent: agent } = process.env;
const watched = command === 'exec' || /^(pnpm|yarn|bun)\//.test(agent || '') ? [process.ppid] : [];
const env = { ...process.env };
const start = (pids) => {
  env.SIDEKICK_LAUNCHER_PIDS = pids.join(',');
  return env;
};

// With execve (Node 22.15, not on Windows) the program takes this process over.
// It ends the process if it fails, so what can be known is looked at before.
if (process.execve && process.platform !== 'win32') {
  try {
    process.execve(file, [file, ...args], start(watched));
  } catch {
    // Refused, as by Node's permissions: the other way it is.
  }
}

const child = require('child_process').spawn(file, args, {
  stdio: 'inherit',
  env: start([process.pid, ...watched]),
  windowsHide: true,
});
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const pass = (signal) => child.kill(signal);
for (const signal of signals) process.on(signal, pass);
child.on('error', (err) => fail(`${file} could not be started (${err.code}); install ${require('../package.json').name} again`));
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  // The host is to see the death that the program died.
  for (const s of signals) process.removeListener(s, pass);
  process.kill(process.pid, signal);
  process.exit(128 + require('os').constants.signals[signal]);
});
