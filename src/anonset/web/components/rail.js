// The places of a project: each is a link with a mark and its state in a sentence.
import { h } from "vue";

export default {
  props: { steps: Array },
  render() {
    return h("nav", { class: "rail", "aria-label": "Steps" }, this.steps.map(step));
  },
};

function step({ href, current, done, name, state }, place) {
  return h("a", { class: ["step", { done }], href, "aria-current": current ? "step" : null }, [
    h("span", { class: "step-mark", "aria-hidden": "true" }, done ? "✓" : String(place + 1)),
    h("span", { class: "step-name" }, name),
    h("span", { class: "step-state" }, state),
    h("span", { class: "unseen" }, done ? "done" : "not done yet"),
  ]);
}
