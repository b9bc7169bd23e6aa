import CarillonClient
import CarillonCore
import CarillonTestKit

/// Values for tests of calls that are about no value in particular.
enum Samples {
    static let device = DeviceRecord(
        id: DeviceID(rawValue: 7),
        address: DeviceAddress(environment: .production, kind: .device, token: DeviceToken([1, 2, 3, 4])!),
        registeredAt: Timestamp(milliseconds: 5),
        seenAt: Timestamp(milliseconds: 4),
        state: .active
    )
    static let registration = Registration(app: TestApps.game, address: device.address)
    /// A message to `device`.
    static let message = Message(
        content: MessageContent(
            app: TestApps.game, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8)),
        audience: .devices([.id(device.id)]))
}

extension MessageStatus {
    /// Returns the status of a message that was delivered to all of its devices.
    static func finished(total: UInt64) -> MessageStatus {
        MessageStatus(
            state: .finished,
            acceptedAt: Timestamp(milliseconds: 1),
            finishedAt: Timestamp(milliseconds: 2),
            total: total,
            outcomes: [.delivered: total]
        )
    }
}
