import CarillonCore
import CarillonLMDB
import CarillonTestKit
import Dispatch
import Foundation
import Synchronization

@testable import CarillonRegistry

/// The data directory of a test, on which the command is run.
final class DumpDirectory: Sendable {
    private let directory = TemporaryDirectory()
    var path: String { directory.path }

    func file(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    /// Opens the registry. It makes no checkpoint by itself, so that its changes stay in the log.
    func open() throws -> LMDBRegistry {
        var options = LMDBRegistry.Options()
        options.mapBytes = 16 << 20
        (options.checkpoints.idleCommitMilliseconds, options.checkpoints.delayMilliseconds) = (3_600_000, 3_600_000)
        // No record of its own.
        options.settings = nil
        return try LMDBRegistry(path: path, options: options)
    }

    /// Copies the files as a process leaves them that ends now. No write may be under way.
    func killed() throws -> DumpDirectory {
        let copy = DumpDirectory()
        try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        for name in ["data.mdb", "journal"] where FileManager.default.fileExists(atPath: file(name).path) {
            try FileManager.default.copyItem(at: file(name), to: copy.file(name))
        }
        return copy
    }

    /// Writes into the tables of the closed registry by hand.
    func edit(_ body: (inout WriteTransaction, Tables) throws -> Void) throws {
        var options = LMDBEnvironment.Options()
        options.mapBytes = 16 << 20
        let environment = try LMDBEnvironment(path: path, options: options)
        let tables = try Tables(environment, LMDBRegistry.storedIdentity(of: environment), ifMissing: .fail)
        try environment.write { try body(&$0, tables) }
    }
}

extension LMDBRegistry {
    /// Submits one change, waits for its answer, and returns it.
    @discardableResult
    func apply(_ change: Change) throws -> ChangeAnswer {
        let answer = Mutex<Result<ChangeAnswer, RegistryError>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        submit(change, deadline: nil) { result in
            answer.withLock { $0 = result }
            isThere.signal()
        }
        isThere.wait()
        return try answer.withLock { $0 }!.get()
    }

    /// Commits the applied changes, by a read that needs a snapshot of them.
    func checkpoint() throws { _ = try devices(of: TestApps.game, cursor: 0, limit: 1) }
}

let game = TestApps.game

func address(_ token: UInt8) -> DeviceAddress {
    DeviceAddress(environment: .production, kind: .device, token: DeviceToken([token, token, token])!)
}

func register(_ token: UInt8, of app: AppID = game, topics: [String] = [], groups: [String] = []) -> Change {
    let registration = Registration(
        app: app, address: address(token), topics: topics.map { TopicName($0)! }, groups: groups.map { GroupName($0)! })
    return .register(registration, now: Timestamp(milliseconds: 1_000))
}
