import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// A cluster of three replicas, with devices that fill more than three pages.
struct Fleet {
    let cluster: TestCluster
    let a: TestReplica, b: TestReplica, c: TestReplica
    private(set) var devices = 0

    init(seed: UInt64) throws {
        cluster = TestCluster(SimulatedDeployment(seed: seed))
        a = cluster.replicas[0]
        b = cluster.replicas[1]
        c = cluster.replicas[2]
        for replica in cluster.replicas { try replica.start() }
        try cluster.waitUntilReady()
        // A form that came later is written when every node has said that it knows it.
        try cluster.wait(until: "all nodes know the newest format of entries") {
            cluster.replicas.allSatisfy { $0.appendsNewestFormat }
        }
        let count = 3 * RegistryLimits.recipientsPerPage + 10
        while devices < count {
            let batch = devices..<min(count, devices + 1_000)
            let changes = batch.map { number in
                let token = DeviceToken([UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)])!
                return Change.register(
                    Registration(
                        app: game, address: DeviceAddress(environment: .production, kind: .device, token: token)),
                    now: timestamp(1_000))
            }
            for answer in try a.applyEach(changes) { _ = try answer.get() }
            devices = batch.upperBound
        }
    }

    /// Accepts a bulk message to all devices at a replica.
    func send(at replica: TestReplica, pace: UInt32? = nil) throws -> MessageID {
        let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
        var message = Message(content: content, audience: .all)
        message.lane = .bulk
        message.pace = pace
        guard case .accepted(let acceptance, _?) = try replica.apply(.accept(message, now: timestamp(5_000))) else {
            throw ScenarioFailure(description: "the message is not accepted")
        }
        return acceptance.id
    }

    func claim(_ pages: UInt32, of message: MessageID, by replica: TestReplica) throws -> PageClaim {
        guard case .pagesClaimed(let claim) = try replica.apply(.claimPages(message, pages: pages)) else {
            throw ScenarioFailure(description: "a claim has another answer")
        }
        return claim
    }

    /// Delivers all pending recipients of pages, and ends their block.
    func send(_ block: PageBlock, of message: MessageID, by replica: TestReplica) throws -> ChangeAnswer {
        try cluster.wait(until: "\(replica.name) has applied all") {
            cluster.replicas.allSatisfy { !$0.isReady || $0.position <= replica.position }
        }
        for number in block.first..<UInt32(block.end) {
            guard let page = try replica.registry?.pendingRecipients(of: message, page: number) else { continue }
            let entries = page.recipients.map {
                OutcomeRecord.EndedRecipient(position: $0.position, outcome: .delivered)
            }
            guard !entries.isEmpty else { continue }
            let record = OutcomeRecord(
                message: message, page: number, endedRecipients: entries, addressed: page.addressed)
            _ = try replica.apply(.recordOutcomes(record, now: timestamp(6_000)))
        }
        return try replica.apply(.endBlock(message, blockAt: block.first, now: timestamp(7_000)))
    }

    func status(of message: MessageID) throws -> MessageStatus? {
        try a.registry?.status(of: message, app: game)
    }
}
