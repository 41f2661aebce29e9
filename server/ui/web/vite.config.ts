import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the policy allows no data: addresses
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
    },
  },
  worker: {
    format: "es",
    rollupOptions: { output: { entryFileNames: "[name].js" } },
  },
});
