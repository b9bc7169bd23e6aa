import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Synchronization

@testable import CarillonRegistry

/// The key of digests where no database has made one.
let testSecret = AddressSecret(first: 1, second: 2)

/// Returns the key of a row of `addresses`.
func addressKey(_ address: AddressDigest, _ app: UInt32) -> [UInt8] {
    ByteWriter.bytes(capacity: 16) {
        $0.append(app)
        $0.append(address.head)
        $0.append(address.tail)
    }
}

/// The rows that a registry has reported as unreadable.
final class Reported: Sendable {
    private let texts = Mutex<[String]>([])

    @Sendable func record(_ text: String) { texts.withLock { $0.append(text) } }

    /// Takes all reports since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}

/// A writer that waits in the completion of a submission until it is released.
final class WriterHold: Sendable {
    fileprivate let isHeld = DispatchSemaphore(value: 0)
    fileprivate let mayGoOn = DispatchSemaphore(value: 0)

    deinit { release() }

    func release() { mayGoOn.signal() }
}

extension LMDBRegistry {
    /// Submits a change and holds the writer when it is made; returns when it is held.
    func holdWriter(with change: Change) -> WriterHold {
        let hold = WriterHold()
        submit(change, deadline: nil) { [isHeld = hold.isHeld, mayGoOn = hold.mayGoOn] _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        hold.isHeld.wait()
        return hold
    }

    /// Submits each change for itself, and waits for their answers.
    func applyEach(
        _ changes: [(change: Change, deadline: Uptime?)]
    ) -> [Result<ChangeAnswer, RegistryError>] {
        let found = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        let isAnswered = DispatchSemaphore(value: 0)
        submitEach(changes) { results in
            found.withLock { $0 = results }
            isAnswered.signal()
        }
        isAnswered.wait()
        return found.withLock { $0 }
    }

    /// Returns the unfinished messages of all queues, by id.
    func unfinished() throws -> [OutboxEntry] {
        try outboxQueues().flatMap { try unfinishedMessages(in: $0, after: nil, limit: .max).entries }
            .sorted { $0.id < $1.id }
    }
}

extension RegistryDirectory {
    /// Copies the closed database without a table, as a program makes it that does not know the table.
    func copy(without table: String) throws -> RegistryDirectory {
        let copy = RegistryDirectory()
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        let target = try LMDBEnvironment(path: copy.path, options: options)
        try edit { environment, tables in
            for (name, database) in tables.databases where name != table {
                let copied = try target.openDatabase(name, ifMissing: .create)
                try environment.read { reading in
                    try target.write { writing in
                        try reading.forEach(in: database, prefix: [UInt8]().span) { key, value in
                            try writing.put(value, for: key, in: copied)
                            return .proceed
                        }
                    }
                }
            }
        }
        return copy
    }
}
