// An adapter that waits for editors on a TCP port or a Unix socket, and clients that are no editors.
'use strict';

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { AFTERIMAGE, TIMEOUT, Session, trace } = require('./client.js');

const PIXEL = { trace: trace('deferred'), pixel: [200, 100] };

/** Runs a test with an adapter that listens, which a shell starts with a command before it. */
const listening = (name, args, body, before = '') =>
  test(name, { timeout: TIMEOUT }, async () => {
    const child = spawn('sh', ['-c', `${before} exec "$@"`, 'sh', AFTERIMAGE, 'dap', ...args],
      { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    const ready = new Promise((resolve, reject) => {
      child.stderr.on('data', (data) => {
        said += data;
        if (/waiting for editors on .*\n/.test(said) && (args[0] !== '--port' || /"token": "\w+"\n/.test(said))) {
          resolve();
        }
      });
      child.on('exit', () => reject(new Error(`the adapter ended: ${said}`)));
    });
    try {
      await ready;
      const port = Number(/port (\d+)/.exec(said)?.[1]);
      const token = /"token": "(\w+)"/.exec(said)?.[1];
      await body({ port, token, said: () => said, child });
      assert.equal(child.exitCode, null, `the adapter still listens: ${said}`);
    } finally {
      child.kill();
    }
  });

/** Sends bytes and returns what came back until the connection was closed. */
const send = (where, bytes) =>
  new Promise((resolve) => {
    let heard = '';
    const socket = net.connect(where, () => socket.write(bytes));
    socket.on('data', (data) => (heard += data));
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });

/** Returns a message of the protocol. */
function message(command, args, seq = 1) {
  const text = JSON.stringify({ seq, type: 'request', command, arguments: args });
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

listening('editors that know the token are served', ['--port', '0'], async ({ port, token }) => {
  // Sequentially and concurrently.
  const [one, other] = [new Session(), new Session()];
  await Promise.all([one.start(port), other.start(port)]);
  const stop = await one.launch({ ...PIXEL, token });
  assert.equal((await one.stack(stop.threadId))[0].name, 'main');
  await one.stop();
  for (const wrong of [undefined, '', token.slice(1), token.toUpperCase() + 'A']) {
    await assert.rejects(other.client.launchRequest({ ...PIXEL, token: wrong }), /needs the `token`/);
  }
  await assert.rejects(other.client.stackTraceRequest({ threadId: 1 }), /needs the `token`/);
  await assert.rejects(other.client.evaluateRequest({ expression: '1' }), /needs the `token`/);
  const again = await other.launch({ ...PIXEL, token });
  assert.equal((await other.stack(again.threadId))[0].name, 'main');
  await other.stop();
});

const TOUCHED = path.join(os.tmpdir(), `afterimage-touched-${process.pid}`);
const PROGRAM = { program: '/bin/touch', args: [TOUCHED] };

listening('programs are not started for clients of a port', ['--port', '0'], async ({ port, token }) => {
  const session = new Session();
  await session.start(port);
  await assert.rejects(session.client.launchRequest({ ...PROGRAM, token }), /--allow-programs/);
  await session.launch({ ...PIXEL, token });
  await assert.rejects(session.client.restartRequest({ arguments: { ...PROGRAM, token } }), /--allow-programs/);
  await session.stop();
  assert.ok(!fs.existsSync(TOUCHED));
});

listening('pages of a browser are not served', ['--port', '0'], async ({ port, token, said }) => {
  const body = message('launch', { ...PROGRAM, token });
  for (const head of ['POST / HTTP/1.1\r\nHost: a\r\n', 'GET /', 'Host: a\r\n', '\x16\x03\x01\x02\x00']) {
    const heard = await send({ port }, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    assert.equal(heard, '', head);
  }
  assert.match(said(), /is not the Debug Adapter Protocol/);
  assert.equal(await send({ port }, 'Content-Length: 99999999999\r\n\r\n'), '');
  assert.equal(await send({ port }, 'A'.repeat(100_000)), '');
  assert.ok(!fs.existsSync(TOUCHED));
});

listening('lack of descriptors ends nothing', ['--port', '0'], async ({ port, token, said }) => {
  const idle = Array.from({ length: 60 }, () => net.connect({ port }));
  idle.forEach((socket) => socket.on('error', () => {}));
  const end = Date.now() + TIMEOUT;
  while (!/could not be (accepted|served)|connected already/.test(said())) {
    assert.ok(Date.now() < end, said());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  idle.forEach((socket) => socket.destroy());
  let heard = '';
  while (!heard.includes('supportsStepBack')) {
    assert.ok(Date.now() < end, said());
    heard = await send({ port }, message('initialize', {}) + message('disconnect', {}, 2));
  }
  assert.ok(token);
}, 'ulimit -n 40;');

test('only this user can connect to a socket', { timeout: TIMEOUT }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'afterimage-dap-'));
  const socket = path.join(folder, 'socket');
  for (let round = 0; round < 2; round += 1) {
    const child = spawn(AFTERIMAGE, ['dap', '--socket', socket], { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      await new Promise((resolve) => child.stderr.once('data', resolve));
      assert.equal(fs.statSync(socket).mode & 0o777, 0o600);
      const answer = await send({ path: socket }, message('initialize', {}) + message('threads', {}, 2) + message('disconnect', {}, 3));
      assert.match(answer, /"threads":\[\]/);
    } finally {
      // The socket stays, and the next round takes its place.
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
  fs.writeFileSync(`${socket}.txt`, 'mine');
  const child = spawn(AFTERIMAGE, ['dap', '--socket', `${socket}.txt`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 2);
  assert.match(said, /is not a socket/);
  assert.equal(fs.readFileSync(`${socket}.txt`, 'utf8'), 'mine');
  fs.rmSync(folder, { recursive: true });
});
