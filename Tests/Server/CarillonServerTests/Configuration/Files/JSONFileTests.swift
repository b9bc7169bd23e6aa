import CarillonTestKit
import Foundation
import Glibc
import Testing

@testable import CarillonServer

/// The files of configuration that are read, and the errors of the others.
struct JSONFileTests {
    private struct Content: Decodable {
        var name: String
    }

    private static let maximumBytes = 4 * 1_048_576

    private let directory = TemporaryDirectory()

    init() throws { try directory.make() }

    /// Returns the content of a file, or the error of reading it, without the path of the directory.
    private func load(_ name: String = "file", hasComments: Bool = false, refusesWritableByOthers: Bool = false)
        -> String
    {
        do throws(SettingsError) {
            return try JSONFile.load(
                Content.self, path: directory.file(name), hasComments: hasComments,
                refusesWritableByOthers: refusesWritableByOthers
            ).name
        } catch {
            return "\(error)".replacing(directory.path + "/", with: "")
        }
    }

    // MARK: What is no file

    @Test func `a file that is not regular is refused without a wait`() throws {
        #expect(load("missing") == "missing: cannot be read: No such file or directory")
        #expect(load(".") == ".: is not a regular file")
        try #require(mkfifo(directory.file("pipe"), 0o600) == 0)
        #expect(load("pipe") == "pipe: is not a regular file")
    }

    @Test func `a link is followed to its file`() throws {
        try directory.write(#"{"name": "linked"}"#, to: "target")
        try #require(symlink(directory.file("target"), directory.file("file")) == 0)
        #expect(load() == "linked")
    }

    // MARK: The size

    @Test(arguments: [(0, "full"), (1, "file: is larger than 4194304 bytes")])
    func `a file above the limit is refused`(beyond: Int, expected: String) throws {
        let text = #"{"name": "full"}"#
        try directory.write(text + String(repeating: " ", count: Self.maximumBytes - text.utf8.count + beyond))
        #expect(load() == expected)
    }

    // MARK: Who can change it

    @Test(arguments: [
        (0o600, "mine"), (0o644, "mine"),
        (0o620, "file: has mode 620, so other users can change it: chmod go-w file"),
        (0o646, "file: has mode 646, so other users can change it: chmod go-w file"),
    ])
    func `a protected file can be read by others but not changed`(mode: Int, expected: String) throws {
        try directory.write(#"{"name": "mine"}"#)
        try #require(chmod(directory.file("file"), mode_t(mode)) == 0)
        #expect(load(refusesWritableByOthers: true) == expected)
        #expect(load() == "mine", "it is the operator's choice")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a protected file of another user is refused`() throws {
        try directory.write(#"{"name": "theirs"}"#)
        try #require(chown(directory.file("file"), 65_534, 65_534) == 0)
        #expect(
            load(refusesWritableByOthers: true) == "file: belongs to another user, who can change it: chown it to root")
        #expect(load() == "theirs")
    }

    // MARK: What is wrong in it

    @Test(arguments: [
        (#"{"name": "a", "name": "b"}"#, "name"), (#"{"name": }"#, "line 1"), ("[]", "file: "),
        ("{}", #"file: "name" is missing"#), (#"{"name": 7}"#, "file: name must be a text: line 1"),
        (#"{"name": null}"#, "file: name must be a text: line 1"), ("", "file: "),
    ])
    func `the fault is named with its place`(text: String, expected: String) throws {
        try directory.write(text)
        let found = load()
        #expect(found.hasPrefix("file: "), "\(found)")
        #expect(found.contains(expected), "\(found)")
    }

    @Test func `comments are read only where they may be`() throws {
        try directory.write("// The name.\n{\n  // It is short.\n  \"name\": \"a // b\"\n}\n")
        #expect(load(hasComments: true) == "a // b")
        #expect(load().hasPrefix("file: "))
    }

    // MARK: Paths in files

    /// A path, the file that names it, and the file that is meant.
    struct NamedPath: CustomTestStringConvertible {
        let path: String
        let file: String
        let resolved: String

        var testDescription: String { "\(path) in \(file)" }
    }

    @Test(arguments: [
        NamedPath(path: "key.p8", file: "/etc/carillon/apps.json", resolved: "/etc/carillon/key.p8"),
        NamedPath(path: "/run/key.p8", file: "/etc/apps.json", resolved: "/run/key.p8"),
        NamedPath(path: "keys/key.p8", file: "apps.json", resolved: "keys/key.p8"),
        NamedPath(path: "../key.p8", file: "conf/apps.json", resolved: "conf/../key.p8"),
    ])
    func `a path is relative to the file that names it`(_ named: NamedPath) {
        #expect(JSONFile.resolve(named.path, beside: named.file) == named.resolved)
    }
}
