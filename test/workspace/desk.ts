import { readFileSync } from "node:fs";
import bolt, { App, type AppOptions, LogLevel } from "@slack/bolt";
