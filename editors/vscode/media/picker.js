// The page of the pixel picker. Pixels are counted from the lower left, as OpenGL does.
'use strict';

const editor = acquireVsCodeApi();
const byId = (id) => document.getElementById(id);
const [canvas, zoom, frame, where, why] = ['canvas', 'zoom', 'frame', 'where', 'why'].map(byId);
const image = new Image();
let picture;
let marked;

function draw() {
  if (!picture) {
    return;
  }
  const scale = Number(zoom.value);
  canvas.width = picture.width * scale;
  canvas.height = picture.height * scale;
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  if (marked) {
    const [x, y] = marked;
    const [left, top] = [x * scale, (picture.height - 1 - y) * scale];
    // A crosshair that leaves the pixel itself visible, bright on dark and dark on bright.
    for (const [color, width] of [['black', 3], ['white', 1]]) {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.strokeRect(left - 1.5, top - 1.5, scale + 3, scale + 3);
      context.beginPath();
      for (const [fromX, fromY, toX, toY] of [[-14, 0, -5, 0], [5, 0, 14, 0], [0, -14, 0, -5], [0, 5, 0, 14]]) {
        context.moveTo(left + scale / 2 + fromX, top + scale / 2 + fromY);
        context.lineTo(left + scale / 2 + toX, top + scale / 2 + toY);
      }
      context.stroke();
    }
  }
}

/** The pixel under the mouse. */
function under(event) {
  const box = canvas.getBoundingClientRect();
  const across = Math.floor(((event.clientX - box.left) / box.width) * picture.width);
  const down = Math.floor(((event.clientY - box.top) / box.height) * picture.height);
  const inside = (at, size) => Math.min(Math.max(at, 0), size - 1);
  return [inside(across, picture.width), picture.height - 1 - inside(down, picture.height)];
}

const pick = (x, y) => editor.postMessage({ kind: 'pick', x, y });

canvas.addEventListener('click', (event) => picture && pick(...under(event)));
canvas.addEventListener('mousemove', (event) => {
  if (picture) {
    where.textContent = under(event).join(', ');
  }
});
canvas.addEventListener('keydown', (event) => {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const way = ways[event.key];
  if (!picture || !(way || event.key === 'Enter')) {
    return;
  }
  event.preventDefault();
  marked ??= [picture.width >> 1, picture.height >> 1];
  if (way) {
    marked = [marked[0] + way[0], marked[1] + way[1]];
    where.textContent = marked.join(', ');
    draw();
  } else {
    pick(...marked);
  }
});
zoom.addEventListener('input', draw);
frame.addEventListener('change', () => editor.postMessage({ kind: 'frame', frame: Number(frame.value) }));

window.addEventListener('message', ({ data }) => {
  why.textContent = '';
  switch (data.kind) {
    case 'picture':
      picture = data.picture;
      marked = data.pixel ?? marked;
      frame.value = picture.frame;
      frame.max = picture.frames - 1;
      where.textContent = `${picture.width} x ${picture.height}; click a pixel`;
      image.onload = draw;
      image.src = `data:image/png;base64,${picture.png}`;
      break;
    case 'picked':
      marked = [data.x, data.y];
      where.textContent = `${data.x}, ${data.y}`;
      draw();
      break;
    case 'failed':
      why.textContent = data.why;
      break;
  }
});
editor.postMessage({ kind: 'ready' });
