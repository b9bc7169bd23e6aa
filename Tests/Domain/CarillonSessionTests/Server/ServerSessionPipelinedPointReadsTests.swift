import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

struct ServerSessionPipelinedPointReadsTests {
    private let game = TestApps.game
    private let device = DeviceReference.id(DeviceID(rawValue: 7))

    /// Returns the ids that a session reads together with the LOOKUP 3, and true if it has read all bytes.
    private func run(
        limits: SessionLimits = SessionLimits(), limit: Int = 100, _ write: (inout FrameWriter) -> Void
    ) throws -> (ids: [UInt64], isAll: Bool) {
        let client = ScriptedClient(limits: limits)
        try client.enter(phase: "open")
        var writer = FrameWriter()
        lookup(3, to: &writer)
        let first = client.receive(writer.take())
        #expect(first.isPointRead, "\(first)")
        write(&writer)
        var bytes = writer.take()
        var ids: [UInt64] = []
        for step in client.pipelineSteps(&bytes, .pointReads(.lookup, of: game), limit: limit) {
            guard case .pointRead(_, let head) = step else {
                Issue.record("\(step) among pipelined point reads")
                break
            }
            ids.append(head.id)
            #expect(head.deadline == nil)
        }
        #expect(client.outstandingCount == 1 + ids.count)
        #expect(client.session.output.take().isEmpty, "nothing is written while point reads are pipelined")
        return (ids, bytes.isEmpty)
    }

    private func lookup(_ id: UInt64, app: AppID? = nil, to writer: inout FrameWriter) {
        writer.request(LookupRequest(app: app ?? game, device: device), id: id)
    }

    @Test func `point reads of one operation and app are one pipeline`() throws {
        #expect(try run { for id in [4, 5, 9] as [UInt64] { lookup(id, to: &$0) } } == ([4, 5, 9], true))
        #expect(try run { _ in } == ([], true))
    }

    @Test func `a frame that is no point read ends the pipeline`() throws {
        let otherApp = try #require(AppID("com.example.other"))
        let others: [(inout FrameWriter) -> Void] = [
            { lookup(5, app: otherApp, to: &$0) },
            { $0.request(MessageStatusRequest(app: game, id: MessageID(rawValue: 1)), id: 5) },
            { $0.ping(Ping(isAcknowledgement: false, payload: 1)) },
            { $0.raw([0, 0, 0, 1]) },
            // An id that was used, missing bytes, and a payload that cannot be read.
            { lookup(4, to: &$0) },
            {
                lookup(5, to: &$0); $0.truncate(to: $0.bytes.count - 1)
            },
            { $0.raw([0, 0, 0, 1, 1, 0, 0, 0x13, 0, 0, 0, 0, 0, 0, 0, 5, 0]) },
        ]
        for other in others {
            let found = try run { writer in
                lookup(4, to: &writer)
                other(&writer)
            }
            #expect(found == ([4], false))
        }
    }

    @Test func `the limits end the pipeline`() throws {
        func many(_ writer: inout FrameWriter) {
            for id in 4...20 as ClosedRange<UInt64> { lookup(id, to: &writer) }
        }
        #expect(try run(limit: 3, many) == ([4, 5, 6], false))
        var limits = SessionLimits()
        limits.outstandingRequests = 3
        #expect(try run(limits: limits, many) == ([4, 5], false))
    }
}

extension ServerSession.Step {
    fileprivate var isPointRead: Bool { if case .pointRead = self { true } else { false } }
}
