// All kinds of breakpoints, all kinds of steps in both directions, and inspecting and changing values on the way.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');
const { AFTERIMAGE, TIMEOUT, Session, lineOf, number, shader, trace, until } = require('./client.js');

const TONE = shader('deferred/tone.frag');
const LIGHT = shader('deferred/light.frag');
const FLAT = shader('chain/flat.frag');
const FIRST = lineOf(TONE, 'vec3 light =');
const PIXEL = { trace: trace('deferred'), pixel: [200, 100] };

/** Returns the document that a command prints, whatever its exit status. */
const asked = (...words) => JSON.parse(spawnSync(AFTERIMAGE, [...words, '--json'], { maxBuffer: 1 << 28 }).stdout);

const session = (name, body) =>
  test(name, { timeout: TIMEOUT * 2 }, async () => {
    const session = new Session();
    await session.start();
    try {
      await body(session);
    } finally {
      await session.stop();
    }
  });

/** Enters the lighting pass from the last one, through the texel that it reads. */
async function enterLighting(session) {
  const stop = await session.launch(PIXEL);
  const [frame] = await session.stack(stop.threadId);
  const { targets } = (await session.client.stepInTargetsRequest({ frameId: frame.id })).body;
  const texel = targets.find((target) => /texel 200,100/.test(target.label));
  assert.ok(texel, `a texel among ${targets.map((target) => target.label).join('; ')}`);
  const entered = await session.go('stepInRequest', { threadId: stop.threadId, targetId: texel.id });
  return { stop, entered };
}

session('a breakpoint in a file of the project', async ({ client }) => {
  // The shader's own file, which the program compiles unchanged; this is how the client itself tests adapters.
  const line = lineOf(TONE, 'vec3 mapped');
  await client.hitBreakpoint({ ...PIXEL, stopOnEntry: false, history: false }, { path: TONE, line });
});

session('a breakpoint in a source of the trace', async (session) => {
  const stop = await session.launch(PIXEL);
  const [frame] = await session.stack(stop.threadId);
  const line = lineOf(TONE, 'light *=');
  const { breakpoints } = (await session.client.setBreakpointsRequest({ source: frame.source, breakpoints: [{ line }] })).body;
  assert.equal(breakpoints[0].verified, true);
  assert.equal(breakpoints[0].line, line);
  const hit = await session.step('continue', stop.threadId);
  assert.equal(hit.reason, 'breakpoint');
  assert.deepEqual(hit.hitBreakpointIds, [breakpoints[0].id]);
  assert.equal((await session.stack(stop.threadId))[0].line, line);
});

session('a breakpoint moves to the next statement, and is rejected where there is none', async (session) => {
  const stop = await session.launch(PIXEL);
  const comment = lineOf(TONE, 'A curve like');
  const [moved, beyond] = await session.breakpoints(TONE, [{ line: comment }, { line: 999 }]);
  assert.equal(moved.line, comment + 1);
  assert.equal(beyond.verified, false);
  assert.match(beyond.message, /no statement/);
  const answer = await session.client.customRequest('breakpointLocations', { source: { path: TONE }, line: 1, endLine: 99 });
  const lines = answer.body.breakpoints.map((place) => place.line);
  assert.deepEqual(lines.slice(0, 2), [FIRST, FIRST + 1]);
  assert.equal((await session.step('continue', stop.threadId)).reason, 'breakpoint');
});

const LOOP = { trace: trace('chain'), pixel: [20, 20], stopOnEntry: false };
const INSIDE = lineOf(FLAT, 'sum +=');

session('a conditional breakpoint', async (session) => {
  const stop = await session.launch(LOOP, () => session.breakpoints(FLAT, [{ line: INSIDE, condition: 'i == 4 && sum.r >= 0.0' }]));
  assert.equal(stop.reason, 'breakpoint');
  assert.equal(number(await session.value(stop.threadId, 'i')), 4);
  assert.equal((await session.step('continue', stop.threadId)).reason, 'end');
});

session('an invalid condition is rejected', async (session) => {
  await session.launch({ ...LOOP, stopOnEntry: true });
  const [wrong, alsoWrong] = await session.breakpoints(FLAT, [{ line: INSIDE, condition: 'missing > 1' }, { line: INSIDE, condition: 'i + 1' }]);
  assert.equal(wrong.verified, false);
  assert.equal(alsoWrong.verified, false);
  assert.match(alsoWrong.message, /int/);
});

session('hit counts', async (session) => {
  const stop = await session.launch(LOOP, () => session.breakpoints(FLAT, [{ line: INSIDE, hitCondition: '3' }]));
  assert.equal(number(await session.value(stop.threadId, 'i')), 2);
  assert.equal((await session.step('continue', stop.threadId)).reason, 'end');
  await session.breakpoints(FLAT, [{ line: INSIDE, hitCondition: '% 4' }]);
  await session.step('reverseContinue', stop.threadId);
  assert.equal(number(await session.value(stop.threadId, 'i')), 7);
  await session.step('reverseContinue', stop.threadId);
  assert.equal(number(await session.value(stop.threadId, 'i')), 3);
});

session('log messages', async (session) => {
  const stop = await session.launch(LOOP, () => session.breakpoints(FLAT, [{ line: INSIDE, logMessage: 'round {i} of {3 * 3}' }]));
  assert.equal(stop.reason, 'end');
  const lines = session.events.filter((event) => event.event === 'output' && /^round/.test(event.body.output));
  assert.deepEqual(lines.map((line) => line.body.output), [...Array(9).keys()].map((i) => `round ${i} of 9\n`));
  assert.equal(lines[0].body.line, INSIDE);
});

session('a data breakpoint stops where a variable is written, in both directions', async (session) => {
  const stop = await session.launch({ ...LOOP, stopOnEntry: true });
  await session.step('next', stop.threadId);
  const { scope } = await session.scope(stop.threadId, 'Locals');
  const info = (await session.client.dataBreakpointInfoRequest({ variablesReference: scope.variablesReference, name: 'sum' })).body;
  assert.equal(info.dataId, 'sum');
  assert.deepEqual(info.accessTypes, ['write']);
  const set = (await session.client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId }] })).body.breakpoints;
  assert.equal(set[0].verified, true);
  const before = await session.value(stop.threadId, 'sum');
  const hit = await session.step('continue', stop.threadId);
  assert.equal(hit.reason, 'data breakpoint');
  assert.match(hit.description, /^sum was .* and is /);
  assert.deepEqual(hit.hitBreakpointIds, [set[0].id]);
  assert.notEqual(await session.value(stop.threadId, 'sum'), before);
  const back = await session.step('reverseContinue', stop.threadId);
  assert.equal(back.reason, 'data breakpoint');
  assert.match(back.description, /^sum is .*, and the next statement makes it /);
  assert.equal((await session.stack(stop.threadId))[0].line, INSIDE);
  assert.equal(await session.value(stop.threadId, 'sum'), before);
});

session('the line that produces the NaN stops as an exception', async (session) => {
  const { command, origin } = asked('history', trace('deferred'), '--nan').first;
  assert.equal(origin.kind, 'vertex');
  const stop = await session.launch({ trace: trace('deferred'), command, vertex: origin.vertex }, () =>
    session.client.setExceptionBreakpointsRequest({ filters: ['not-finite', 'domain'] }));
  const hit = await session.step('continue', stop.threadId);
  assert.equal(hit.reason, 'exception');
  const info = (await session.client.exceptionInfoRequest({ threadId: stop.threadId })).body;
  assert.equal(info.exceptionId, 'domain');
  assert.match(info.description, /`normalize` of a vector without length/);
  const [frame] = await session.stack(stop.threadId);
  assert.equal(frame.line, lineOf(shader('deferred/gbuffer.vert'), 'normalize'));
});

session('over, into, out: forwards and backwards', async (session) => {
  const { stop } = await enterLighting(session);
  const call = lineOf(LIGHT, 'sum += lit_by_sun');
  await session.breakpoints(LIGHT, [{ line: call }]);
  const at = async () => (await session.stack(stop.threadId))[0];
  let hit = await session.step('continue', stop.threadId);
  assert.equal(hit.reason, 'breakpoint');
  const sum = await session.value(stop.threadId, 'sum');

  await session.step('stepIn', stop.threadId);
  assert.equal((await at()).name.split(' ')[0], 'lit_by_sun');
  const stack = await session.stack(stop.threadId);
  assert.deepEqual(stack.slice(0, 3).map((frame) => frame.name.split(' ')[0]), ['lit_by_sun', 'main', 'main']);
  await session.step('next', stop.threadId);
  await session.step('stepBack', stop.threadId);
  assert.equal((await at()).line, lineOf(LIGHT, 'vec4 place = world_to_shadow'));
  await session.step('stepOut', stop.threadId);
  assert.equal((await at()).name.split(' ')[0], 'main');
  await session.step('back_into', stop.threadId);
  assert.notEqual((await at()).name.split(' ')[0], 'main');
  await session.step('back_out', stop.threadId);
  assert.equal((await at()).line, call);
  assert.equal(await session.value(stop.threadId, 'sum'), sum);

  await session.step('next', stop.threadId);
  assert.equal((await at()).line, call + 1);
  await session.step('stepBack', stop.threadId);
  assert.equal((await at()).line, call);
  assert.equal(await session.value(stop.threadId, 'sum'), sum);

  await session.breakpoints(LIGHT, []);
  hit = await session.step('continue', stop.threadId);
  assert.equal(hit.reason, 'end');
  hit = await session.step('reverseContinue', stop.threadId);
  assert.equal(hit.reason, 'start');
  assert.equal((await at()).line, lineOf(LIGHT, 'float z ='));
});

session('into a texture read and out of it', async (session) => {
  const { stop, entered } = await enterLighting(session);
  assert.equal(entered.threadId, stop.threadId);
  const stack = await session.stack(stop.threadId);
  assert.equal(stack.length, 2);
  assert.equal(stack[0].line, lineOf(LIGHT, 'float z ='));
  assert.equal(stack[1].line, FIRST);
  assert.match(stack[0].name, /fragment 200,100/);
  // A frame of the calling pass can be inspected meanwhile.
  const below = (await session.client.evaluateRequest({ expression: 'at', frameId: stack[1].id, context: 'watch' })).body;
  assert.equal(below.type, 'vec2');
  // One pass deeper: the lighting read the depth of the scene.
  const { targets } = (await session.client.stepInTargetsRequest({ frameId: stack[0].id })).body;
  assert.ok(targets.length > 1, 'the lighting must read the depth');
  const out = await session.step('stepOut', stop.threadId);
  assert.equal(out.reason, 'step');
  const back = await session.stack(stop.threadId);
  assert.equal(back.length, 1);
  assert.equal(back[0].line, FIRST);
});

session('the texels of a read are a scope', async (session) => {
  const stop = await session.launch(PIXEL);
  const before = await session.scope(stop.threadId, 'Texels read');
  assert.ok(before.variables.size >= 2);
  await session.step('next', stop.threadId);
  const after = await session.scope(stop.threadId, 'Texels read');
  assert.match([...after.variables.values()][0].value, /read/);
});

session('expressions, in hovers, watches and the console', async (session) => {
  const stop = await session.launch(PIXEL);
  await session.step('next', stop.threadId);
  for (const context of ['hover', 'watch', 'repl']) {
    assert.equal(number(await session.value(stop.threadId, 'max(2.0, 1.0) + 0.5', context)), 2.5);
  }
  const x = number(await session.value(stop.threadId, 'light.x'));
  assert.equal(Math.fround(number(await session.value(stop.threadId, 'light.x * 2.0'))), Math.fround(x * 2));
  await assert.rejects(session.value(stop.threadId, 'missing + 1'), /missing/);
  assert.match(await session.value(stop.threadId, '.help', 'repl'), /\.enter/);
  assert.match(await session.value(stop.threadId, '.lanes', 'repl'), /looked at/);
  assert.match(await session.value(stop.threadId, '.last light', 'repl'), /became/);
  const [frame] = await session.stack(stop.threadId);
  const complete = async (text) => {
    const { targets } = (await session.client.completionsRequest({ frameId: frame.id, text, column: text.length + 1 })).body;
    return targets.map((target) => target.label);
  };
  assert.deepEqual(await complete('1.0 + lig'), ['light']);
  assert.deepEqual(await complete('light.'), ['x', 'y', 'z']);
  assert.ok((await complete('.fo')).includes('.follow'));
});

session('setting a variable takes effect, and can be undone', async (session) => {
  const stop = await session.launch(PIXEL);
  await session.step('next', stop.threadId);
  const { scope } = await session.scope(stop.threadId, 'Locals');
  const set = (await session.client.setVariableRequest({ variablesReference: scope.variablesReference, name: 'light', value: 'vec3(0.0)' })).body;
  assert.match(set.value, /^vec3\(0/);
  await session.step('to_end', stop.threadId);
  const color = await session.value(stop.threadId, 'color');
  assert.match(color, /^vec4\(0(\.0)?, 0(\.0)?, 0(\.0)?, 1/);
  await session.go('evaluateRequest', { expression: '.undo', context: 'repl' });
  await session.step('to_end', stop.threadId);
  assert.notEqual(await session.value(stop.threadId, 'color'), color);
});

session('a value set in a thread is kept after inspecting another', async (session) => {
  const stop = await session.launch({ ...PIXEL, history: true });
  await session.client.threadsRequest();
  await until(() => session.events.some((event) => event.event === 'thread'), 'a history');
  const { threads } = (await session.client.threadsRequest()).body;
  const other = threads.find((thread) => /^fragment/.test(thread.name) && thread.id !== stop.threadId);
  await session.step('next', stop.threadId);
  const { scope } = await session.scope(stop.threadId, 'Locals');
  await session.client.setVariableRequest({ variablesReference: scope.variablesReference, name: 'light', value: 'vec3(0.25)' });
  const set = await session.value(stop.threadId, 'light');
  assert.match(set, /^vec3\(0\.25/);
  // Another thread is inspected and stepped.
  await session.step('next', other.id);
  const [elsewhere] = await session.stack(other.id);
  assert.notEqual(elsewhere.source.path, (await session.stack(stop.threadId))[0].source.path);
  assert.equal(await session.value(stop.threadId, 'light'), set);
  await session.step('to_end', stop.threadId);
  const color = await session.value(stop.threadId, 'color');
  assert.equal((await session.stack(other.id))[0].line, elsewhere.line);
  assert.equal(await session.value(stop.threadId, 'color'), color);
  await session.go('evaluateRequest', { expression: '.undo', context: 'repl' });
  await session.step('to_end', stop.threadId);
  assert.notEqual(await session.value(stop.threadId, 'color'), color);
});

session('an expression can be set', async (session) => {
  const stop = await session.launch({ ...LOOP, stopOnEntry: true });
  await session.step('next', stop.threadId);
  const [frame] = await session.stack(stop.threadId);
  const answer = await session.client.customRequest('setExpression', { expression: 'sum.y', value: '0.25', frameId: frame.id });
  assert.equal(number(answer.body.value), 0.25);
  assert.equal(number(await session.value(stop.threadId, 'sum.y')), 0.25);
  await until(() => session.events.some((event) => event.event === 'invalidated'), 'other views to be told');
});

session('setting a uniform takes effect from the start', async (session) => {
  const stop = await session.launch({ ...LOOP, stopOnEntry: true });
  const { scope, variables } = await session.scope(stop.threadId, 'Uniforms');
  assert.ok(variables.has('stride'));
  await session.client.setVariableRequest({ variablesReference: scope.variablesReference, name: 'stride', value: 'vec2(0.5, 0.25)' });
  assert.match(await session.value(stop.threadId, 'stride'), /^vec2\(0\.5, 0\.25\)/);
});

session('a lane of the quad', async (session) => {
  const stop = await session.launch(PIXEL);
  const { lanes } = (await session.client.customRequest('afterimage/lanes')).body;
  assert.equal(lanes.length, 4);
  const other = lanes.find((lane) => !lane.followed);
  const before = await session.value(stop.threadId, 'at');
  await session.go('customRequest', 'afterimage/follow', { lane: other.number });
  assert.notEqual(await session.value(stop.threadId, 'at'), before);
});

session('instructions of the emulator', async (session) => {
  const stop = await session.launch(PIXEL);
  const [frame] = await session.stack(stop.threadId);
  assert.ok(frame.instructionPointerReference);
  const ask = { memoryReference: frame.instructionPointerReference, instructionOffset: -2, instructionCount: 40 };
  const { instructions } = (await session.client.disassembleRequest(ask)).body;
  assert.equal(instructions.length, 40);
  const here = instructions.findIndex((line) => line.address === frame.instructionPointerReference);
  assert.equal(here, 2);
  assert.equal(instructions[here].line, FIRST);
  assert.ok(instructions.some((line) => /lookup/.test(line.instruction)));
});

session('a compute thread, and the bytes of its buffers', async (session) => {
  const { draws } = asked('info', trace('particles'));
  const dispatch = draws.find((draw) => /Dispatch/.test(draw.name));
  const stop = await session.launch({ trace: trace('particles'), command: dispatch.command, thread: [3, 0, 0] });
  for (let i = 0; i < 4; ++i) {
    await session.step('next', stop.threadId);
  }
  assert.match(await session.value(stop.threadId, 'index'), /^3/);
  const { variables } = await session.scope(stop.threadId, 'Uniforms');
  const { memoryReference } = variables.get('before');
  assert.ok(memoryReference, 'the block must be in memory');
  const read = (await session.client.customRequest('readMemory', { memoryReference, offset: 18 * 4, count: 4 })).body;
  const bytes = Buffer.from(read.data, 'base64');
  assert.equal(bytes.readFloatLE(), Math.fround(number(await session.value(stop.threadId, 'before[18]'))));
  const beyond = (await session.client.customRequest('readMemory', { memoryReference, offset: 1 << 28, count: 4 })).body;
  assert.equal(beyond.unreadableBytes, 4);
});
