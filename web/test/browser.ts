// Starts Chromium for tests and pictures. GPODE_CHROMIUM may name another program than Debian's.
import { chromium, type Browser } from "playwright-core";

export function openBrowser(): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : []; // Chromium's sandbox does not work for root
  return chromium.launch({
    executablePath: process.env["GPODE_CHROMIUM"] ?? "/usr/bin/chromium",
    args: [...sandbox, "--disable-gpu"],
  });
}
