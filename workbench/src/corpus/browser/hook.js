// Records every shader that a page compiles and every program that it links. Nothing is drawn: only compilers are asked.
window.afterimage = { shaders: [], programs: [], limits: {} };
for (const [version, type] of [[1, WebGLRenderingContext], [2, WebGL2RenderingContext]]) {
  const gl = type.prototype, found = window.afterimage;
  const { shaderSource, compileShader, attachShader, detachShader, linkProgram, getExtension, bindAttribLocation } = gl;
  gl.shaderSource = function (shader, text) {
    if (shader) shader.afterimageText = String(text);
    return shaderSource.call(this, shader, text);
  };
  gl.getExtension = function (name) {
    const extension = getExtension.call(this, name);
    if (extension) (this.afterimageExtensions ||= new Set()).add(name);
    return extension;
  };
  gl.compileShader = function (shader) {
    compileShader.call(this, shader);
    if (!shader || shader.afterimageText === undefined || this.isContextLost()) return;
    const ok = this.getShaderParameter(shader, this.COMPILE_STATUS);
    const log = this.getShaderInfoLog(shader);
    if (this.isContextLost()) return;
    shader.afterimageIndex = found.shaders.length;
    const vertex = this.getShaderParameter(shader, this.SHADER_TYPE) === this.VERTEX_SHADER;
    const extensions = [...(this.afterimageExtensions || [])].sort();
    found.shaders.push({ context: version, vertex, text: shader.afterimageText, ok, log, extensions });
    if (found.limits[version]) return;
    const limits = found.limits[version] = {};
    for (const [name, constant] of Object.entries(LIMITS)) {
      if (this[constant]) limits[name] = this.getParameter(this[constant]);
    }
  };
  gl.attachShader = function (program, shader) {
    if (program && shader) (program.afterimageShaders ||= new Set()).add(shader);
    return attachShader.call(this, program, shader);
  };
  gl.detachShader = function (program, shader) {
    if (program && shader && program.afterimageShaders) program.afterimageShaders.delete(shader);
    return detachShader.call(this, program, shader);
  };
  // What is bound or captured decides about links, too.
  gl.bindAttribLocation = function (program, ...rest) {
    if (program) program.afterimageOther = true;
    return bindAttribLocation.call(this, program, ...rest);
  };
  if (gl.transformFeedbackVaryings) {
    const { transformFeedbackVaryings } = gl;
    gl.transformFeedbackVaryings = function (program, ...rest) {
      if (program) program.afterimageOther = true;
      return transformFeedbackVaryings.call(this, program, ...rest);
    };
  }
  gl.linkProgram = function (program) {
    linkProgram.call(this, program);
    if (!program || this.isContextLost()) return;
    const shaders = [...(program.afterimageShaders || [])].map(shader => shader.afterimageIndex);
    const ok = this.getProgramParameter(program, this.LINK_STATUS);
    if (shaders.length !== 2 || shaders.includes(undefined) || this.isContextLost()) return;
    found.programs.push({ shaders, ok, log: this.getProgramInfoLog(program), bound: !!program.afterimageOther });
  };
  for (const name of ["drawArrays", "drawElements", "readPixels", "drawArraysInstanced", "drawElementsInstanced"]) {
    if (gl[name]) gl[name] = function () {};
  }
}
