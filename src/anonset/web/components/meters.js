// Figures with their names; the technical name is a tooltip.
import { h, resolveComponent } from "vue";

export default {
  props: { meters: Array },
  render() {
    const tooltip = resolveComponent("q-tooltip");
    const meter = ({ name, hint, value, kind }) =>
      h("div", { class: "meter" }, [
        h("span", { class: "hinted meter-name", tabindex: "0" }, [name, h(tooltip, null, () => hint)]),
        h("span", { class: ["meter-value", kind] }, value),
      ]);
    return h("div", { class: "meters" }, this.meters.map(meter));
  },
};
