import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The sizes by which a client divides its receipts.
struct ReceiptsRequestTests {
    private static let token = DeviceToken(Array(repeating: 7, count: DeviceToken.maximumBytes))!

    @Test(
        arguments: [
            .id(DeviceID(rawValue: 17)),
            .address(DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken([7])!)),
            .address(DeviceAddress(environment: .production, kind: .fcm, token: token)),
        ] as [DeviceReference])
    func `a receipt has as many bytes as a client expects`(_ device: DeviceReference) {
        let receipt = Receipt(message: MessageID(rawValue: 4), device: device, kind: .opened)
        let one = payload(ReceiptsRequest(app: TestApps.game, receipts: [receipt])).count
        let two = payload(ReceiptsRequest(app: TestApps.game, receipts: [receipt, receipt])).count
        #expect(two - one == receipt.byteCount)
        #expect(one - receipt.byteCount <= ReceiptsRequest.maximumBytesWithoutReceipts)
    }
}
