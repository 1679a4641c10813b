// Posts what the page did, and ends the run; an error ends it, too.
let finished = false;
async function post(found) {
  if (finished) return;
  finished = true;
  await fetch("/found", { method: "POST", body: JSON.stringify({ page: location.pathname, found }) });
  await fetch("/done", { method: "POST", body: "" });
}
window.finish = () => post(window.afterimage);
window.addEventListener("error", event => post({ error: event.message }));
window.addEventListener("unhandledrejection", event => post({ error: String(event.reason && event.reason.stack || event.reason) }));
