// The life cycle of a session, as every client runs it.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { before, test } = require('node:test');
const { AFTERIMAGE, TIMEOUT, Session, lineOf, shader, trace, until } = require('./client.js');

const TONE = shader('deferred/tone.frag');
const FIRST = lineOf(TONE, 'vec3 light =');
const PIXEL = { trace: trace('deferred'), pixel: [200, 100] };

/** Runs a test with its own client. */
const session = (name, body) =>
  test(name, { timeout: TIMEOUT * 2 }, async () => {
    const session = new Session();
    const capabilities = (await session.start()).body;
    try {
      await body(session, capabilities);
    } finally {
      await session.stop();
    }
  });

session('the adapter reports its capabilities', async (_, can) => {
  for (const what of ['StepBack', 'ConditionalBreakpoints', 'HitConditionalBreakpoints', 'LogPoints', 'DataBreakpoints',
    'EvaluateForHovers', 'SetVariable', 'SetExpression', 'StepInTargetsRequest', 'ReadMemoryRequest',
    'DisassembleRequest', 'CancelRequest', 'RestartRequest', 'TerminateRequest', 'CompletionsRequest',
    'ExceptionInfoRequest', 'LoadedSourcesRequest', 'ConfigurationDoneRequest']) {
    assert.equal(can[`supports${what}`], true, what);
  }
  const filters = can.exceptionBreakpointFilters.map((filter) => filter.filter);
  assert.ok(filters.includes('not-finite') && filters.length >= 10, `${filters}`);
});

session('unknown requests are rejected in one sentence', async ({ client }) => {
  await assert.rejects(client.customRequest('illumos'), /illumos/);
  await assert.rejects(client.stackTraceRequest({ threadId: 1 }), /no trace is open/);
  await assert.rejects(client.launchRequest({}), /needs a `program` to record or a `trace` to open/);
  await assert.rejects(client.launchRequest({ trace: '/nowhere/at.all' }), /nowhere/);
  await assert.rejects(client.launchRequest({ ...PIXEL, pixel: [100_000, 0] }), /pixel|outside/);
  await assert.rejects(client.launchRequest({ trace: PIXEL.trace, vertex: 3 }), /`command`/);
  await assert.rejects(client.launchRequest({ ...PIXEL, pixel: 'middle' }), /arguments of `launch`/);
});

session('launch stops at the first statement of the pixel', async (session) => {
  const stop = await session.launch(PIXEL);
  assert.equal(stop.reason, 'entry');
  assert.equal(stop.allThreadsStopped, true);
  const [frame] = await session.stack(stop.threadId);
  assert.equal(frame.name, 'main');
  assert.equal(frame.line, FIRST);
  const { threads } = (await session.client.threadsRequest()).body;
  assert.deepEqual(threads.map((thread) => thread.id), [stop.threadId]);
  assert.match(threads[0].name, /fragment 200,100/);
});

session('a truncated trace is called so', async (session) => {
  const whole = fs.readFileSync(PIXEL.trace);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'afterimage-test-'));
  const cut = path.join(folder, 'cut.aftr');
  fs.writeFileSync(cut, whole.subarray(0, whole.length - 20_000), { mode: 0o600 });
  try {
    await session.client.launchRequest({ trace: cut });
    const truncated = ({ body }) => /the trace is truncated: its first \d+ calls could be read/.test(body.output);
    await until(() => session.events.some((event) => event.event === 'output' && truncated(event)), 'the sentence');
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

session('attach does the same with a trace', async (session) => {
  const stop = await session.launch(PIXEL, undefined, 'attachRequest');
  assert.equal(stop.reason, 'entry');
  assert.equal((await session.stack(stop.threadId))[0].line, FIRST);
});

session('sources come from the trace', async (session) => {
  const stop = await session.launch(PIXEL);
  const [frame] = await session.stack(stop.threadId);
  assert.ok(frame.source.sourceReference > 0);
  const { content } = (await session.client.sourceRequest({ source: frame.source, sourceReference: frame.source.sourceReference })).body;
  assert.equal(content, fs.readFileSync(TONE, 'utf8'));
  const { sources } = (await session.client.customRequest('loadedSources')).body;
  assert.ok(sources.some((source) => source.path === frame.source.path) && sources.length >= 2);
  assert.ok(session.events.some((event) => event.event === 'loadedSource'));
});

session('sources are written to files for editors that support only those', async (session) => {
  const folder = path.join(path.dirname(PIXEL.trace), 'sources');
  fs.rmSync(folder, { recursive: true, force: true });
  const stop = await session.launch({ ...PIXEL, sourcesTo: folder });
  const [frame] = await session.stack(stop.threadId);
  assert.equal(frame.source.sourceReference, 0);
  assert.equal(fs.readFileSync(frame.source.path, 'utf8'), fs.readFileSync(TONE, 'utf8'));
});

session('scopes, types and both values of variables', async (session) => {
  const stop = await session.launch(PIXEL);
  await session.step('next', stop.threadId);
  const { scope, variables } = await session.scope(stop.threadId, 'Locals');
  assert.equal(scope.presentationHint, 'locals');
  const light = variables.get('light');
  assert.equal(light.type, 'vec3');
  assert.match(light.value, /^vec3\(.*\)/);
  const parts = (await session.client.variablesRequest({ variablesReference: light.variablesReference })).body.variables;
  assert.deepEqual(parts.map((part) => part.name), ['x', 'y', 'z']);
  assert.equal(parts[0].evaluateName, 'light.x');
  const inputs = (await session.scope(stop.threadId, 'Inputs')).variables;
  assert.match(inputs.get('at').value, /vec2/);
  assert.ok((await session.scope(stop.threadId, 'Samplers')).variables.has('image'));
  assert.ok((await session.scope(stop.threadId, 'Outputs')).variables.has('color'));
  // The device's value of the same moment is shown beside it, with a verdict.
  assert.match(light.value, /measured|the device has/);
});

session('a program is recorded and debugged', async (session) => {
  const program = path.join(path.dirname(AFTERIMAGE), 'chain');
  const stop = await session.launch({ program, args: ['--frames', '2'], pixel: [20, 20] });
  assert.equal(stop.reason, 'entry');
  const [frame] = await session.stack(stop.threadId);
  assert.equal(frame.name, 'main');
});

session('a program that draws nothing ends the session with a reason', async (session) => {
  const { client } = session;
  const ready = client.waitForEvent('initialized', TIMEOUT);
  const ended = client.waitForEvent('terminated', TIMEOUT);
  await client.launchRequest({ program: '/bin/false', pixel: [1, 1] });
  await ready;
  await client.configurationDoneRequest();
  await ended;
  assert.ok(session.events.some((event) => event.event === 'output' && event.body.category === 'important'));
});

session('restart keeps the breakpoints', async (session) => {
  const line = lineOf(TONE, 'light *=');
  const stop = await session.launch(PIXEL, () => session.breakpoints(TONE, [{ line }]));
  await session.step('next', stop.threadId);
  await session.step('next', stop.threadId);
  const again = await session.go('restartRequest', {});
  assert.equal(again.reason, 'entry');
  assert.equal((await session.stack(again.threadId))[0].line, FIRST);
  const hit = await session.step('continue', again.threadId);
  assert.equal(hit.reason, 'breakpoint');
  assert.equal((await session.stack(hit.threadId))[0].line, line);
});

session('restart with another pixel', async (session) => {
  await session.launch(PIXEL);
  const again = await session.go('restartRequest', { arguments: { ...PIXEL, pixel: [5, 6], history: false } });
  assert.equal(again.reason, 'entry');
  const { threads } = (await session.client.threadsRequest()).body;
  assert.match(threads[0].name, /fragment 5,6/);
});

session('terminate ends the debuggee', async ({ client, ...session }) => {
  const whole = Object.assign(Object.create(Session.prototype), { client, ...session });
  await whole.launch(PIXEL);
  const ended = client.waitForEvent('terminated', TIMEOUT);
  await client.terminateRequest();
  await ended;
  await assert.rejects(client.stackTraceRequest({ threadId: 1 }), /no trace is open/);
});

test('disconnect ends the adapter', { timeout: TIMEOUT }, async () => {
  const session = new Session();
  await session.start();
  await session.launch(PIXEL);
  const child = session.client._adapterProcess;
  const left = new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  await session.client.disconnectRequest();
  assert.equal(await left, 0);
});

session('a request can be cancelled while others are served', async ({ client }) => {
  const ready = client.waitForEvent('initialized', TIMEOUT);
  const launched = client.launchRequest({ history: false, ...PIXEL });
  const evaluated = client.evaluateRequest({ expression: '1 + 1' });
  // The launch was request 2, after `initialize`.
  const cancelled = client.customRequest('cancel', { requestId: 3 });
  await assert.rejects(evaluated, /cancelled/);
  await Promise.all([launched, ready, cancelled]);
});

session('the threads are the history of the pixel, in execution order', async (session) => {
  const stop = await session.launch({ ...PIXEL, history: true });
  await session.client.threadsRequest();
  await until(() => session.events.some((event) => event.event === 'thread'), 'a history');
  assert.ok(session.events.some((event) => event.event === 'progressStart'));
  assert.ok(session.events.some((event) => event.event === 'progressEnd'));
  const { threads } = (await session.client.threadsRequest()).body;
  assert.ok(threads.length > 5, `${threads.length} threads`);
  const commands = threads.map((thread) => Number(/command (\d+)/.exec(thread.name)[1]));
  assert.deepEqual(commands, [...commands].sort((a, b) => a - b));
  assert.equal(threads.at(-1).id, stop.threadId);
  // Each can be inspected and stepped separately, and keeps its position.
  const other = threads.find((thread) => /^fragment/.test(thread.name));
  const [first] = await session.stack(other.id);
  assert.notEqual(first.source.path, (await session.stack(stop.threadId))[0].source.path);
  const moved = await session.step('next', other.id);
  assert.equal(moved.threadId, other.id);
  const [second] = await session.stack(other.id);
  assert.notEqual(second.line, first.line);
  assert.equal((await session.stack(stop.threadId))[0].line, FIRST);
  assert.equal((await session.stack(other.id))[0].line, second.line);
  const { history } = (await session.client.customRequest('afterimage/history')).body;
  assert.ok(history.nodes.length >= threads.length);
});

session('the search for a history can be cancelled', async (session) => {
  await session.launch({ ...PIXEL, history: true });
  await session.client.threadsRequest();
  const find = () => session.events.find((event) => event.event === 'progressStart' && event.body.cancellable);
  await until(find, 'progress');
  const { progressId } = find().body;
  await session.client.customRequest('cancel', { progressId });
  await until(() => session.events.some((event) => event.event === 'progressEnd' && event.body.progressId === progressId), 'an end');
  const { threads } = (await session.client.threadsRequest()).body;
  assert.equal(threads.length, 1);
});

session('the picture of the frame, and another pixel of it', async (session) => {
  const stop = await session.launch(PIXEL);
  const picture = (await session.client.customRequest('afterimage/picture', {})).body;
  assert.equal(picture.width, 480);
  assert.equal(picture.height, 270);
  const png = Buffer.from(picture.png, 'base64');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  // Editors keep showing a stop until a `continued` event, which no request of the protocol causes here.
  const continued = session.client.waitForEvent('continued', TIMEOUT);
  const picked = await session.go('customRequest', 'afterimage/pick', { pixel: [30, 40] });
  assert.equal((await continued).body.threadId, stop.threadId);
  assert.equal(picked.reason, 'entry');
  assert.notEqual(picked.threadId, stop.threadId);
  const { threads } = (await session.client.threadsRequest()).body;
  assert.match(threads[0].name, /fragment 30,40/);
});

session('without a pixel the session waits for one', async (session) => {
  const { client } = session;
  const ready = client.waitForEvent('initialized', TIMEOUT);
  await client.launchRequest({ trace: PIXEL.trace });
  await ready;
  await client.configurationDoneRequest();
  await assert.rejects(client.stackTraceRequest({ threadId: 1 }), /no invocation|notStopped/);
  const stop = await session.go('evaluateRequest', { expression: '.enter 200,100', context: 'repl' });
  assert.equal((await session.stack(stop.threadId))[0].line, FIRST);
});

before(() => assert.ok(fs.existsSync(AFTERIMAGE), 'AFTERIMAGE must be the path of the program'));
