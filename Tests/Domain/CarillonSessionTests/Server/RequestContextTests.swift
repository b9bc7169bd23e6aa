import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

struct RequestContextTests {
    private let lookup = LookupRequest(app: TestApps.game, device: .id(DeviceID(rawValue: 7)))

    private func context(of client: ScriptedClient, id: UInt64, within milliseconds: UInt32?) -> RequestContext? {
        var writer = FrameWriter()
        writer.request(lookup, id: id, common: CommonFields(deadlineMilliseconds: milliseconds))
        guard case .pointRead(_, _, let context) = client.receive(writer.take()) else { return nil }
        return context
    }

    @Test func `a context names the request, its client and its times`() throws {
        let client = ScriptedClient()
        try client.enter(phase: "open")
        let now = client.now
        #expect(
            context(of: client, id: 3, within: nil)
                == RequestContext(RequestHead(id: 3, opcode: .lookup), of: ScriptedClient.principal, at: now))
        #expect(context(of: client, id: 5, within: 50)?.head.deadline == now.uptime + 50)
    }

    @Test func `changed rights hold from the next request on`() throws {
        let client = ScriptedClient()
        try client.enter(phase: "open")
        #expect(context(of: client, id: 3, within: nil)?.principal == ScriptedClient.principal)
        let fewer = Principal(name: ScriptedClient.principal.name, grants: [])
        client.session.principalChanged(to: fewer, at: client.now.uptime, reconnectAfterMilliseconds: 500)
        #expect(context(of: client, id: 5, within: nil)?.principal == fewer)
    }
}
