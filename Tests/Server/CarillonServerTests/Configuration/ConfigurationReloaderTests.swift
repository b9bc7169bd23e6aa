import CarillonCore
import CarillonTestKit
import Foundation
import Logging
import Testing

@testable import CarillonServer

/// The files and settings that SIGHUP takes over, and those that it refuses.
struct ConfigurationReloaderTests {
    @Test(arguments: [
        (file: "apps.json", text: "not JSON", reason: "is not JSON"),
        (file: "apps.json", text: #"{"credentials": {}, "apps": {}}"#, reason: "names no app"),
        (file: "principals.json", text: #"{"principals": []}"#, reason: "names no principal"),
        (file: "main.p8", text: "no key", reason: "main.p8"),
    ])
    func `a file that cannot be used is counted and changes nothing`(
        _ fault: (file: String, text: String, reason: String)
    ) async throws {
        let reload = try ReloadHarness()
        try reload.files.write(fault.file, fault.text)
        await reload.hangUp()
        #expect(reload.applied.count == 1)
        #expect(reload.count("refused") == 1)
        #expect(reload.count("ok") == 0)
        #expect(reload.log.messages == ["error: nothing is read again: everything stays as it was"])
        #expect(reload.log.text.contains(fault.reason), "\(reload.log.text)")
    }

    @Test func `every problem is named at once`() async throws {
        let reload = try ReloadHarness()
        try reload.files.write("apps.json", "not JSON")
        try reload.files.write("principals.json", "not JSON")
        await reload.hangUp()
        #expect(reload.log.text.contains("apps.json"))
        #expect(reload.log.text.contains("principals.json"))
    }

    @Test func `a valid reload after an invalid one is applied`() async throws {
        let reload = try ReloadHarness()
        try reload.files.write("apps.json", "not JSON")
        await reload.hangUp()
        try reload.files.writeApps(credentials: ["main"], apps: ["com.example.chat": "main"])
        await reload.hangUp()
        #expect(reload.applied.count == 2)
        #expect(reload.applied.last?.apps.apps.keys.sorted() == ["com.example.chat"])
        #expect(reload.count("refused") == 1)
        #expect(reload.count("ok") == 1)
    }

    @Test func `a removed credential drains its pool`() async throws {
        let reload = try ReloadHarness()
        try reload.files.makeKey("other")
        try reload.files.writeApps(credentials: ["other"], apps: ["com.example.game": "other"])
        await reload.hangUp()
        #expect(reload.applied.last?.credentials.keys.sorted() == ["other"])
        #expect(reload.log.text.contains("pools_opened=1"))
        #expect(reload.log.text.contains("pools_drained=1"))
        #expect(reload.log.text.contains("pools_replaced=0"))
    }

    /// Apple limits how often a team may make a token of a key.
    @Test func `an unchanged key keeps its token and a changed one does not`() async throws {
        let reload = try ReloadHarness()
        await reload.hangUp()
        #expect(try tokens(reload.applied[1]) == tokens(reload.applied[0]))
        try reload.files.makeKey("main")
        await reload.hangUp()
        #expect(try tokens(reload.applied[2]) != tokens(reload.applied[1]))
    }

    /// Returns the identity of the source of the tokens of `main`.
    private func tokens(_ deployment: Deployment) throws -> ObjectIdentifier {
        guard case .token(let source) = deployment.credentials["main"]?.authentication else {
            throw ReloadHarness.CannotApply()
        }
        return ObjectIdentifier(source)
    }

    @Test func `a deployment that cannot be put into force is counted and forgotten`() async throws {
        let reload = try ReloadHarness()
        reload.failToApply(true)
        try reload.files.makeKey("main")
        await reload.hangUp()
        #expect(reload.applied.count == 1)
        #expect(reload.count("refused") == 1)
        #expect(reload.count("ok") == 0)
        reload.failToApply(false)
        await reload.hangUp()
        #expect(reload.count("refused") == 1)
        #expect(reload.count("ok") == 1)
        #expect(try tokens(reload.applied[1]) != tokens(reload.failed[0]), "read again, and compared with the first")
    }

    @Test func `settings that need a restart are not taken over and the log says so`() async throws {
        let reload = try ReloadHarness()
        reload.changeSettings { settings in
            settings.clientThreads += 1
            settings.limits.connections = 7
        }
        await reload.hangUp()
        let first = reload.applied[0].settings
        let last = reload.applied[1].settings
        #expect(last.clientThreads == first.clientThreads)
        #expect(last.limits.connections == 7)
        #expect(reload.log.messages.contains("warning: settings have changed that take effect only at the next start"))
    }
}
