import CarillonCore
import CarillonRegistry
import Dispatch

/// The registry, with corrupt records: everything is read, changed, swept and verified, also during bulk ingest.
///
/// Bytes 0 and 1: the cursor of a page of outcomes; if it is odd, bulk ingest comes first. Then the corruptions follow.
enum RegistryTarget {
    static func run(_ input: inout FuzzInput) {
        let cursor = UInt64(input.byte()) << 8 | UInt64(input.byte())
        let corruptions = Corruption.read(&input)
        do {
            if cursor & 1 == 1 { try ingest(corruptions) }
            try CorruptedRegistry.shared.corrupt(corruptions)
            let registry = try CorruptedRegistry.shared.open()
            defer { registry.close() }
            read(registry, from: cursor)
            change(registry)
            sweep(registry)
            read(registry, from: cursor)
        } catch let error as RegistryError {
            demand(error.isStorageError, "a corrupt registry is \(error)")
        } catch {
            demand(false, "the registry of the fuzzer: \(error)")
        }
    }

    /// Checks bulk ingest, which is answered before the rows that it changes are read. It is committed once, and once
    /// more by the recovery of a process that has ended before the commit.
    private static func ingest(_ corruptions: [Corruption]) throws {
        try CorruptedRegistry.shared.corrupt(corruptions)
        let registry = try CorruptedRegistry.shared.open(isBulkIngest: true)
        // The log continues from this state, which is committed when the registry is closed.
        let database = CorruptedRegistry.shared.bytes(of: "data.mdb")
        let answers = DispatchSemaphore(value: 0)
        let changes = SampleRegistry.bulkIngest(now: Timestamp(milliseconds: 6_000))
        for change in changes {
            registry.submit(change, deadline: nil) { result in
                if case .failure(let error) = result {
                    demand(error.isStorageError, "a change of bulk ingest is \(error)")
                }
                answers.signal()
            }
        }
        for _ in changes { answers.wait() }
        let log = CorruptedRegistry.shared.bytes(of: "data.wal")
        registry.close()

        CorruptedRegistry.shared.replace("data.mdb", with: database)
        CorruptedRegistry.shared.replace("data.wal", with: log)
        let recovered = try CorruptedRegistry.shared.open(isBulkIngest: true)
        defer { recovered.close() }
        attempt { () throws(RegistryError) in _ = try recovered.verify() }
    }

    /// Reads everything that a server reads. An error must say that the disk is at fault.
    // style: table, a row for each read
    private static func read(_ registry: LMDBRegistry, from cursor: UInt64) {
        let app = SampleRegistry.app
        for id in 0..<UInt64(7) {
            let device = DeviceID(rawValue: id)
            let message = MessageID(rawValue: id)
            attempt { () throws(RegistryError) in _ = try registry.device(.id(device), of: app) }
            attempt { () throws(RegistryError) in _ = try registry.quarantinedSince(device, of: app) }
            attempt { () throws(RegistryError) in _ = try registry.silentPushes(to: device, of: app) }
            attempt { () throws(RegistryError) in _ = try registry.status(of: message, app: app) }
            attempt { () throws(RegistryError) in _ = try registry.details(of: message, app: app) }
            for cursor in [0, cursor] { readOutcomes(registry, of: message, cursor: cursor) }
            attempt { () throws(RegistryError) in
                _ = try registry.trace(of: message, device: .id(DeviceID(rawValue: 1)), app: app)
            }
        }
        for token in UInt8(1)...4 {
            let address = SampleRegistry.address(token)
            attempt { () throws(RegistryError) in _ = try registry.device(.address(address), of: app) }
        }
        attempt { () throws(RegistryError) in
            for queue in try registry.outboxQueues() {
                for outbound in try registry.unfinishedMessages(in: queue, after: nil, limit: 10).messages {
                    for page: UInt32 in [0, 1, .max] { try readPages(registry, outbound.id, page: page) }
                }
            }
        }
        for condition in [Condition.all, SampleRegistry.condition] {
            attempt { () throws(RegistryError) in _ = try registry.explain(condition, app: app) }
        }
        for set in ConditionPlan(SampleRegistry.condition).sets {
            attempt { () throws(RegistryError) in _ = try registry.devices(in: set, of: app, cursor: cursor, limit: 5) }
        }
        attempt { () throws(RegistryError) in _ = try registry.devices(of: app, cursor: cursor, limit: 5) }
        attempt { () throws(RegistryError) in
            _ = try registry.topics(of: SampleRegistry.group, app: app, after: "", limit: 5)
        }
        attempt { () throws(RegistryError) in _ = try registry.groups(of: app, prefix: "", after: "", limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.topics(of: app, prefix: "", after: "", limit: 5) }
        attempt { () throws(RegistryError) in
            _ = try registry.memberships(of: .id(DeviceID(rawValue: 1)), app: app, after: "", limit: 5)
        }
        for filter in [MessageFilter(), MessageFilter(state: .finished, sender: "s", labelPrefix: "l")] {
            attempt { () throws(RegistryError) in
                _ = try registry.messages(of: app, before: nil, limit: 5, filter: filter)
            }
        }
        attempt { () throws(RegistryError) in _ = try registry.quarantinedDevices(of: app, cursor: cursor, limit: 5) }
        attempt { () throws(RegistryError) in
            _ = try registry.events(after: cursor, limit: 5, filter: EventFilter())
        }
        attempt { () throws(RegistryError) in _ = try registry.oldestEventSequence() }
        attempt { () throws(RegistryError) in _ = try registry.newestEventSequence() }
        attempt { () throws(RegistryError) in _ = try registry.acknowledgedSequence(by: SampleRegistry.subscriber) }
        attempt { () throws(RegistryError) in _ = try registry.nextScheduled() }
        readAll(registry)
    }

    private static func readOutcomes(_ registry: LMDBRegistry, of message: MessageID, cursor: UInt64) {
        attempt { () throws(RegistryError) in
            _ = try registry.outcomes(of: message, app: SampleRegistry.app, cursor: cursor, limit: 5)
        }
        for kind in ReceiptKind.allCases {
            attempt { () throws(RegistryError) in
                _ = try registry.receipts(of: message, app: SampleRegistry.app, kind: kind, cursor: cursor, limit: 5)
            }
        }
    }

    /// Reads everything that only the tools read.
    private static func readAll(_ registry: LMDBRegistry) {
        let app = SampleRegistry.app
        let topic = SampleRegistry.topic
        attempt { () throws(RegistryError) in _ = try registry.registryStatistics(largest: 2) }
        attempt { () throws(RegistryError) in _ = try registry.registryCounts() }
        attempt { () throws(RegistryError) in _ = try registry.apps() }
        attempt { () throws(RegistryError) in _ = try registry.appNumbers() }
        attempt { () throws(RegistryError) in _ = try registry.archiveCounts(of: app) }
        attempt { () throws(RegistryError) in _ = try registry.archivedDevices(of: app, after: nil, limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.archivedGroups(of: app, after: nil, limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.archivedTombstones(of: app, after: nil, limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.postingSizes(of: .topic(topic), app: app) }
        attempt { () throws(RegistryError) in _ = try registry.subscribingGroups(of: topic, app: app, limit: 5) }
        attempt { () throws(RegistryError) in _ = try registry.verify() }
    }

    private static func readPages(
        _ registry: LMDBRegistry, _ message: MessageID, page: UInt32
    ) throws(RegistryError) {
        check(try registry.pendingRecipients(of: message, page: page))
        check(try registry.nextPage(of: message, from: page))
    }

    private static func check(_ page: RecipientPage?) {
        guard let recipients = page else { return }
        demand(recipients.recipients.count <= RegistryLimits.recipientsPerPage, "a page too large")
        for index in recipients.recipients.indices {
            recipients.withToken(at: index) { demand($0.count <= DeviceToken.maximumBytes, "a token too long") }
        }
    }

    /// Applies each change once. A change that is refused or fails must be answered.
    private static func change(_ registry: LMDBRegistry) {
        for change in SampleRegistry.changes(now: Timestamp(milliseconds: 5_000)) {
            registry.submit(change, deadline: nil) { result in
                if case .failure(let error) = result { demand(error.isStorageError, "a change is \(error)") }
            }
        }
    }

    private static func sweep(_ registry: LMDBRegistry) {
        attempt { () throws(RegistryError) in
            var rounds = 0
            while try registry.sweep(now: Timestamp(milliseconds: .max / 2)) == .incomplete {
                rounds += 1
                demand(rounds < 100, "a sweep without end")
            }
        }
    }

    private static func attempt(_ body: () throws(RegistryError) -> Void) {
        do {
            try body()
        } catch {
            demand(error.isStorageError, "a read is \(error)")
        }
    }
}

extension RegistryError {
    /// True if a corrupt disk may cause the error.
    fileprivate var isStorageError: Bool {
        switch self {
        case .corrupted, .storageFailed, .closed: true
        case .overloaded, .deadline, .storageFull, .inUse, .logUnavailable, .effectUnknown, .refused: false
        }
    }
}
