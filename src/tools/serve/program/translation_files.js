// ---- Files: sent one after the other, with a line for each ----------------------------------------------------------

let fileLimit = 0;                 // bytes
let fileWork = Promise.resolve();  // the files that are being translated
let tables = [];                   // files that wait until their columns are named

/** A line of the list of files: what becomes of one. */
function fileLine(file) {
  const line = document.createElement("li");
  const state = document.createElement("span");
  line.append(`${file.name}: `, state);
  by("file-list").append(line);
  return (words, link = "") => {
    state.textContent = words.replace(`${file.name}: `, "");  // the server's errors begin with it
    state.className = link === "bad" ? "bad" : "";
    if (!link || link === "bad") return;
    const anchor = document.createElement("a");
    [anchor.href, anchor.textContent, anchor.download] = [link, "Download", ""];
    state.append(" ", anchor);
  };
}

/** Sends a file; `tell` hears how far it is. XMLHttpRequest tells of uploads, unlike fetch. */
function sendFile(file, fields, tell) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", file);
    request.upload.onprogress = (event) => tell(`sending, ${Math.floor(100 * event.loaded / event.total)} %`);
    request.upload.onload = () => tell("translating …");
    request.onloadend = () => {
      const answer = request.response || {};
      if (answer.translatedFileUrl) tell("translated.", `download_file/${answer.translatedFileUrl.split("/").pop()}`);
      else tell(answer.error || "the server does not answer, or ended the upload; try again later", "bad");
      resolve();
    };
    request.open("POST", "translate_file");
    request.responseType = "json";
    request.send(form);
  });
}

function translateFiles(files, columns = "") {
  for (const file of files) {
    if (/\.[ct]sv$/i.test(file.name) && !columns) {
      tables.push(file);
      continue;
    }
    const tell = fileLine(file);
    if (fileLimit > 0 && file.size > fileLimit) {
      tell(`has ${counted(file.size)} bytes; this server takes ${counted(fileLimit)}`, "bad");
      continue;
    }
    tell("waits");
    const fields = {source: source.value, target: target.value, column: columns.split(",").map((one) => one.trim()).join("\n")};
    fileWork = fileWork.then(() => sendFile(file, fields, tell));
  }
  by("table").hidden = !tables.length;
  if (tables.length) by("columns").focus();
}

function translateTables() {
  const waiting = tables;
  if (!by("columns").value.trim()) return;
  tables = [];
  translateFiles(waiting, by("columns").value);
}

/** Files may be dropped anywhere on the page; elsewhere a browser would leave the page for them. */
function listenToDrops() {
  const has = (event) => !by("files").hidden && [...event.dataTransfer.types].includes("Files");
  const mark = (on) => by("files").classList.toggle("over", on);
  addEventListener("dragover", (event) => { if (has(event)) { event.preventDefault(); mark(true); } });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(false); });
  addEventListener("drop", (event) => {
    mark(false);
    if (!has(event)) return;
    event.preventDefault();
    translateFiles([...event.dataTransfer.files]);
  });
}

/** Shows what the server takes, if it takes files. */
function offerFiles(settings) {
  fileLimit = settings.fileLimit || 0;
  by("files").hidden = !settings.filesTranslation;
  by("chosen").accept = settings.supportedFilesFormat.join(",");
  by("files-note").textContent = "Drop files here, or choose them: only their texts are translated. " +
                                 `${settings.supportedFilesFormat.join(" ")}, at most ${counted(fileLimit / 2 ** 20)} MiB each.`;
  by("choose").addEventListener("click", () => by("chosen").click());
  by("chosen").addEventListener("change", () => { translateFiles([...by("chosen").files]); by("chosen").value = ""; });
  by("translate-table").addEventListener("click", translateTables);
  by("columns").addEventListener("keydown", (event) => { if (event.key === "Enter") translateTables(); });
  listenToDrops();
}
