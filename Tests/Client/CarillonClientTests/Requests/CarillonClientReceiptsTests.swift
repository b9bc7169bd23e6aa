import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let message = MessageID(rawValue: 42)

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientReceiptsTests {
    @Test func `many receipts are sent in batches with unknown ones by their place`() async throws {
        let receipts = (0..<2_500 as Range<UInt64>).map {
            Receipt(message: message, device: .id(DeviceID(rawValue: $0)), kind: .opened)
        }
        let answers = [1_000, 999, 500].map {
            AnyAnswer(ReceiptsAnswer(counted: $0, unknown: [1]), to: ReceiptsRequest.self)
        }
        let made = try await requests(answers) { client in
            let result = try await client.reportReceipts(receipts, app: app)
            #expect(result == ReceiptResult(counted: 2_499, unknown: [1, 1_001, 2_001]))
        }
        let sent = made.flatMap { request in
            request.as(ReceiptsRequest.self)?.receipts ?? []
        }
        #expect(sent == receipts)
    }

    @Test func `devices with a receipt are listed`() async throws {
        let made = try await requests([
            AnyAnswer(DeviceIDPage(next: 0, devices: [DeviceID(rawValue: 7)]), to: ReceiptDevicesRequest.self)
        ]) {
            client in
            var listed: [UInt64] = []
            for try await id in client.devices(withReceipt: .received, of: message, app: app) {
                listed.append(id.rawValue)
            }
            #expect(listed == [7])
        }
        #expect(made == [AnyRequest(ReceiptDevicesRequest(app: app, id: message, kind: .received, limit: 1_000))])
    }
}
