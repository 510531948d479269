// Figures with their names, whose technical words are told on hover.
import { h, resolveComponent } from "vue";

export default {
  props: { shown: Array },
  render() {
    const tooltip = resolveComponent("q-tooltip");
    const meter = ({ name, hint, value, kind }) =>
      h("div", { class: "meter" }, [
        h("span", { class: "hinted meter-name", tabindex: "0" }, [name, h(tooltip, null, () => hint)]),
        h("span", { class: ["meter-value", kind] }, value),
      ]);
    return h("div", { class: "meters" }, this.shown.map(meter));
  },
};
