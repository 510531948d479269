// A dropped or chosen file is streamed to a route; the page gets only the answer.
import { h } from "vue";

export default {
  props: { url: String, method: { default: "PUT" }, accept: String, prompt: String, several: Boolean },
  emits: ["done", "failed"],
  data: () => ({ over: false, share: null, name: "" }),
  render() {
    const choose = h("button", { class: "link-button", type: "button", onClick: () => this.$refs.file.click() }, this.several ? "choose files" : "choose a file");
    return h(
      "div",
      {
        class: ["drop", this.over && "over"],
        onDragover: (event) => (event.preventDefault(), (this.over = true)),
        onDragleave: () => (this.over = false),
        onDrop: this.dropped,
      },
      [
        h("div", [this.prompt, " or ", choose]),
        h("input", {
          ref: "file",
          type: "file",
          hidden: true,
          "aria-label": "File",
          accept: this.accept,
          multiple: this.several,
          onChange: (event) => this.sendAll([...event.target.files]),
        }),
        this.share === null ? null : this.bar(),
      ],
    );
  },
  methods: {
    bar() {
      const inner = h("div", { style: { width: `${Math.round(100 * this.share)}%` } });
      const shown = { class: "drop-bar", role: "progressbar", "aria-label": "Sending", "aria-valuenow": Math.round(100 * this.share) };
      return h("div", { "aria-live": "polite" }, [h("div", shown, [inner]), `${this.name}: ${this.share < 1 ? "sending" : "reading"} …`]);
    },
    dropped(event) {
      event.preventDefault();
      this.over = false;
      this.sendAll([...event.dataTransfer.files]);
    },
    // One after the other; each answer is told by itself.
    sendAll(files) {
      this.rest = this.several ? files.slice(1) : [];
      this.send(files[0]);
    },
    send(file) {
      if (!file) return;
      this.name = file.name;
      this.share = 0;
      const request = new XMLHttpRequest();
      request.open(this.method, this.url);
      request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
      request.setRequestHeader("X-CSRF-Token", cookie("anonset_csrf"));
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.onprogress = (event) => (this.share = event.total ? event.loaded / event.total : 0);
      request.onload = () => this.answered(request);
      request.onerror = () => this.failed("the connection broke; try it again");
      request.send(file);
      this.$refs.file.value = "";
    },
    answered(request) {
      this.share = null;
      const answer = readJson(request.responseText);
      if (request.status < 300) this.$emit("done", answer);
      else this.failed(answer.detail ?? `the server answered ${request.status}`);
      if (this.rest.length) this.sendAll(this.rest);
    },
    failed(reason) {
      this.share = null;
      this.$emit("failed", reason);
    },
  },
};

function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : "";
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
