import { describe, expect, it } from "vitest";

import { findPayloadFlaw } from "../../../src/slack/incoming/payload.ts";
import { command, mention, move, open, press, stopSession, submit, typed, useShortcut } from "./receiver.ts";

describe("a payload", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["nothing", {}],
    ["a command without a user", { command: "/news", team_id: "T1", channel_id: "C1" }],
    ["an event that is null", { ...mention("a"), event: null }],
    ["an event that is missing", { ...mention("a"), event: undefined }],
    ["an event of no kind", { ...mention("a"), event: { type: 5 } }],
    ["a mention with a number for its text", mention("a", { text: 5 })],
    ["a mention in an object", mention("a", { channel: { id: "C1" } })],
    ["authorizations of null", mention("a", {}, { authorizations: [null] })],
    ["a press of nobody", press({ action_id: "run" }, { user: null })],
    ["a press of no button", press({}, { actions: [] })],
    ["a form without fields", submit({}, { state: null })],
    ["a field that is a number", submit({ question: { value: 5 } })],
    ["a shortcut beside no message", { ...useShortcut({}), message: null }],
    ["a shortcut of no name", { type: "shortcut", user: { id: "U1" }, callback_id: 5 }],
    ["a closed window of no name", { type: "view_closed", user: { id: "U1" }, view: { id: "V1" } }],
    ["a button in a window of no name", press({ action_id: "run" }, { view: { id: "V1" } })],
  ])("with %s cannot be read", (_, payload) => {
    expect(findPayloadFlaw(payload)).toBeDefined();
  });

  const noTeam = { team_id: null, enterprise_id: "E1", is_enterprise_install: true };

  it.each<[string, Record<string, unknown>]>([
    ["a mention", mention("<@UBOT> a")],
    ["a message of nobody", mention("a", { text: null, user: undefined, thread_ts: null, edited: { user: "U1" } })],
    ["an event of an organisation", mention("a", {}, { authorizations: [noTeam] })],
    ["an event that we do not listen to", move("channel_rename", { channel: { id: "C1", name: "x" }, ts: undefined })],
    ["an event of a strange name", move("constructor")],
    ["another ID of a channel", move("channel_id_changed", { old_channel_id: "C1", new_channel_id: "C2" })],
    ["the end of a person's token", move("tokens_revoked", { tokens: { oauth: ["U1"] } })],
    ["somebody who opens the bot's page", open("home")],
    ["somebody who stops a session", stopSession()],
    ["a command", command("/news", "")],
    ["a check of the certificate", { ssl_check: "1", token: "x" }],
    ["a check of the address", { type: "url_verification", challenge: "x" }],
    ["a button", press({ action_id: "run", value: "a" })],
    ["a menu without a choice", press({ type: "static_select", action_id: "run", selected_option: null })],
    ["a button in no channel", press({ action_id: "run", value: "a" }, { channel: null, team: null })],
    ["a form", submit({ question: typed(null), day: { type: "checkboxes", selected_options: [] } })],
    ["a shortcut", useShortcut({ text: "a" })],
    ["a window that is closed", { type: "view_closed", user: { id: "U1" }, view: { id: "V1", callback_id: "" } }],
  ])("of Slack's is read: %s", (_, payload) => {
    expect(findPayloadFlaw(payload)).toBeUndefined();
  });
});
