import ArgumentParser
import CarillonCommandLine
import Foundation
import Testing

@testable import carillon

private let app = "com.example.game"

/// The command lines that `carillon` accepts and refuses, and its help.
struct CarillonTests {
    @Test(arguments: [
        // Sending.
        ["send", "--app", app, "--device", "1", "--title", "Hi"],
        ["send", "--app", app, "--token", "aabb", "--type", "background"],
        ["send", "--app", app, "--group", "a", "--group", "b", "--except", "4", "--body", "Hi"],
        ["send", "--app", app, "--all", "--dry-run", "--body-in", "zh=a", "--only-translations"],
        ["send", "--app", app, "--all", "--body", "a", "--at", "+10m", "--pace", "5", "--id-key", "mid", "--watch"],
        ["send", "--app", app, "--all", "--type", "background", "--over-budget", "wait"],
        ["send", "--app", app, "--all", "--body", "a", "--label", "Raid at 21:00"],
        ["send", "--app", app, "--channel", "Y2g=", "--type", "liveactivity", "--expiration", "0", "--payload", "{}"],
        // Devices.
        ["register", "--app", app, "--token", "aabb", "--seen-at", "5"],
        ["device", "show", "--app", app, "--device", "1"],
        ["device", "memberships", "--app", app, "--token", "aabb"],
        ["device", "update", "--app", app, "--device", "1", "--attribute", "tier=", "--mute"],
        ["device", "quarantined", "--app", app],
        ["device", "restore", "--app", app, "--token", "aabb"],
        // Groups.
        ["group", "join", "user/42", "--app", app, "--device", "1", "--title", "New sign-in"],
        ["group", "leave", "user/42", "--app", app, "--token", "aabb", "--clear-topics"],
        ["group", "switch", "--from", "a", "--to", "b", "--app", app, "--device", "1"],
        ["group", "members", "user/42", "--app", app, "--limit", "5"],
        ["group", "list", "--app", app, "--prefix", "user/"],
        ["group", "mute", "user/42", "--app", app],
        ["group", "unmute", "user/42", "--app", app],
        ["group", "topics", "user/42", "--app", app],
        // Topics and conditions.
        ["topic", "subscribe", "/topics/level5", "b", "--app", app, "--device", "1", "--group", "user/42"],
        ["topic", "unsubscribe", "level5", "--app", app, "--group", "user/42"],
        ["topic", "list", "--app", app],
        ["topic", "devices", "level5", "--app", app],
        ["audience", "explain", "'a' in topics", "--app", app],
        // Messages and receipts.
        ["message", "list", "--app", app, "--limit", "5"],
        ["message", "list", "--app", app, "--state", "finished", "--sender", "live-ops", "--label", "Raid"],
        ["message", "trace", "42", "--channel", "--app", app],
        ["message", "status", "42", "--app", app],
        ["message", "watch", "42", "--app", app],
        ["message", "cancel", "42", "--app", app],
        ["message", "pause", "42", "--app", app],
        ["message", "resume", "42", "--app", app],
        ["message", "pace", "42", "500", "--app", app],
        ["message", "pace", "42", "none", "--app", app],
        ["message", "resend", "42", "--app", app, "--outcome", "gave-up", "--not-after", "10m", "--watch"],
        ["message", "outcomes", "42", "--app", app, "--only", "failed", "--csv"],
        ["message", "outcomes", "42", "--app", app, "--outcome", "muted", "--outcome", "left"],
        ["message", "receipts", "42", "--app", app, "--opened"],
        ["message", "trace", "42", "17", "--app", app],
        ["message", "trace", "42", "--token", "aabb", "--app", app, "--json"],
        ["receipt", "received", "42", "--app", app, "--device", "1"],
        ["receipt", "opened", "42", "--app", app, "--file", "-"],
        // The server, its events and imports.
        ["ping", "--server", "unix:/x", "--timeout", "500ms"],
        ["import", "-", "--app", app, "--format", "csv"],
        ["events", "--follow", "--name", "a", "--from", "now", "--kind", "delivery-failed", "--app", app],
        ["events", "forget", "billing", "--json"],
    ])
    func `a valid command line is accepted`(arguments: [String]) {
        #expect(parsingError(of: arguments) == nil)
    }

    /// Expects that a command line is refused with a text that contains these words.
    private func expectRefusal(of arguments: [String], with words: String) throws {
        let text = try #require(parsingError(of: arguments), "\(arguments) is taken")
        #expect(text.contains(words), "\(text)")
    }

    @Test(arguments: [
        ["send", "--app", app, "--device", "1", "--title", "Hi", "--payload", "{}"],
        ["send", "--app", app, "--device", "1", "--badge", "1", "--payload-file", "x"],
        ["send", "--app", app, "--device", "1", "--data", "a=b", "--payload", "{}"],
        ["send", "--app", app, "--device", "1", "--title", "a", "--title-loc-key", "A"],
        ["send", "--app", app, "--topic", "a", "--all", "--title", "Hi"],
        ["send", "--app", app, "--all", "--except", "1", "--except-token", "aa", "--body", "a"],
        ["send", "--app", app, "--channel", "Y2g=", "--all", "--body", "a"],
        ["send", "--app", app, "--all", "--body", "a", "--wait", "--watch"],
        ["device", "update", "--app", app, "--device", "1", "--mute", "--unmute"],
        ["message", "outcomes", "42", "--app", app, "--only", "failed", "--outcome", "left"],
        ["message", "outcomes", "42", "--app", app, "--csv", "--json"],
    ])
    func `options that exclude each other are refused`(arguments: [String]) throws {
        try expectRefusal(of: arguments, with: "exclude each other")
    }

    @Test(arguments: [
        (["send", "--app", app, "--title", "Hi"], "The audience is missing"),
        (["send", "--app", app, "--device", "1"], "The content is missing"),
        (["group", "join", "a", "--app", app], "The devices are missing"),
        (["group", "leave", "a", "--app", app], "The devices are missing"),
        (["topic", "subscribe", "a", "--app", app], "The subscribers are missing"),
        (["topic", "subscribe", "--app", app], "topic"),
        (["device", "update", "--app", app, "--device", "1"], "Nothing to change"),
        (["receipt", "opened", "42", "--app", app], "The devices are missing"),
        (["receipt", "opened", "42", "--app", app, "--device", "1", "--file", "-"], "The devices are missing"),
        (["events", "forget"], "<name>"),
        (["device", "show", "--app", app], "one of the four"),
        (["message", "trace", "42", "17", "--channel", "--app", app], "one of the three"),
        (["register", "--app", app], "--token"),
    ])
    func `a missing argument is named`(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["send", "--app", app, "--device", "1", "--body", "a", "--loc-arg", "b"], "--loc-arg belongs to --loc-key"),
        (["send", "--app", app, "--device", "1", "--sound", "a", "--volume", "1"], "--volume belongs to --critical"),
        (["send", "--app", app, "--all", "--body", "a", "--dry-run", "--wait"], "nothing to --wait for"),
        (["send", "--app", app, "--channel", "Y2g=", "--body", "a"], "--type liveactivity"),
        (["send", "--app", app, "--channel", "Y2g=", "--type", "liveactivity", "--payload", "{}"], "--expiration"),
        (["send", "--app", app, "--all", "--body", "a", "--over-budget", "drop"], "--type background"),
        (["send", "--app", app, "--all", "--body", "a", "--only-translations"], "needs a translation"),
        (["ping", "--certificate", "x"], "belong together"),
        (["ping", "--plaintext", "--ca", "x"], "contradicts"),
    ])
    func `an option that needs another names it`(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["--body", "a", "--body-in", "x=a"], "--body-in"),
        (["--body-in", "de=a", "--body-in", "DE=b"], "the same language twice"),
        (["--body", "a", "--payload-in", "de={}"], "not with fields"),
        (["--payload", "{}", "--body-in", "de=a"], "--payload-in"),
        (["--body", "a", "--data", "a=1", "--data", "a=2"], "the same name twice"),
        (["--body", "a", "--data", "=1"], "--data"),
        (["--body", "a", "--interruption-level", "loud"], "--interruption-level"),
        (["--body", "a", "--pace", "0"], "at least 1"),
        (["--body", "a", "--at", "soon"], "--at"),
        (["--body", "a", "--label", "a\nb"], "no control characters"),
        (["--body", "a", "--label", ""], "1 to 100 bytes"),
    ])
    func `a bad option of a send is named`(options: [String], words: String) throws {
        try expectRefusal(of: ["send", "--app", app, "--all"] + options, with: words)
    }

    @Test(arguments: [
        (["send", "--app", "not an app", "--device", "1", "--title", "Hi"], "--app"),
        (["send", "--app", app, "--topic", "a b", "--title", "Hi"], "--topic"),
        (["send", "--app", app, "--group", "/a", "--title", "Hi"], "--group"),
        (["send", "--app", app, "--condition", "'a' in topcs", "--title", "Hi"], "  'a' in topcs\n         ^"),
        (["audience", "explain", "a == 'b' &&", "--app", app], "  a == 'b' &&\n             ^"),
    ])
    func `a bad audience is named`(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["message", "list", "--app", app, "--label", String(repeating: "l", count: 101)], "1 to 100 bytes"),
        (["message", "list", "--app", app, "--sender", ""], "1 to 255 bytes"),
        (["message", "list", "--app", app, "--state", "cancelled"], "--state"),
        (["message", "pace", "42", "0", "--app", app], "count|none"),
        (["message", "resend", "42", "--app", app, "--outcome", "delivered"], "is not a failure"),
        (["message", "outcomes", "42", "--app", app, "--outcome", "lost"], "--outcome"),
    ])
    func `a bad option of a command for messages is named`(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["device", "update", "--app", app, "--device", "1", "--attribute", "locale=de"], "--attribute"),
        (["group", "list", "--app", app, "--limit", "0"], "at least 1"),
        (["import", "a", "--app", app, "--in-flight", "0"], "1 to 64"),
        (["import", "-", "--app", app, "--state", "x"], "--state"),
        (["device", "show", "--app", app, "--token", "xyz"], "--token"),
        (["events", "--kind", "rain"], "--kind"),
        (["events", "--from", "then"], "--from"),
        (["events", "--name", String(repeating: "a", count: 65)], "64 bytes"),
        (["events", "forget", String(repeating: "a", count: 65)], "64 bytes"),
    ])
    func `a bad option of another command is named`(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    /// Returns all commands, each with its words on the command line.
    private func commands() -> [(path: [String], command: any ParsableCommand.Type)] {
        var queue: [(path: [String], command: any ParsableCommand.Type)] = [([], Carillon.self)]
        var found: [(path: [String], command: any ParsableCommand.Type)] = []
        while let (path, command) = queue.popLast() {
            queue += command.configuration.subcommands.map { (path + [$0.configuration.commandName ?? ""], $0) }
            found.append((path, command))
        }
        return found
    }

    @Test func `every command has an example`() {
        let commands = commands()
        #expect(commands.count > Carillon.configuration.subcommands.count, "not only the groups of commands")
        for (path, command) in commands {
            let help = Carillon.helpMessage(for: command, columns: 100)
            let examples = help.components(separatedBy: "Examples:").dropFirst().joined()
            #expect(examples.contains((["  carillon"] + path).joined(separator: " ")), "\(path)")
        }
    }

    @Test func `an example fits into a terminal of 80 columns`() {
        for (path, command) in commands() {
            let lines = command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }
            #expect(lines.filter { $0.count > 80 } == [], "\(path)")
        }
    }
}
