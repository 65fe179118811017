'use strict';
// After an installation: puts the program in the place of the launcher, so that
// starting it starts no Node. All of this is for speed: whatever stands against
// it, the launcher stays and works.
const fs = require('fs');
const path = require('path');

const { platform, arch, env } = process;
// Windows starts bin files by a .cmd that runs Node. Of the others only npm
// links to the file itself; pnpm's and yarn's stand-ins may have noted that it
// is a script for Node.
if (platform !== 'win32' && /^npm\//.test(env.npm_config_user_agent || '')) {
  const target = path.join(__dirname, 'bin', 'sidekick-mcp');
  const fresh = `${target}.${process.pid}`;
  try {
    const program = require.resolve(`${require('./package.json').name}-${platform}-${arch}/bin/sidekick-mcp`);
    // Only what runs here is worth having in the launcher's place.
    require('child_process').execFileSync(program, ['version'], { stdio: 'ignore', timeout: 20_000 });
    try {
      fs.linkSync(program, fresh);
    } catch {
      fs.copyFileSync(program, fresh);
      fs.chmodSync(fresh, 0o755);
    }
    fs.renameSync(fresh, target);
  } catch {
    fs.rmSync(fresh, { force: true });
  }
}
