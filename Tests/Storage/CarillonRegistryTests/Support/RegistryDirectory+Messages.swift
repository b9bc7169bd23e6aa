import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit

extension RegistryDirectory {
    /// Makes a closed registry with a device and messages to all devices, numbered from 1 on.
    ///
    /// - Parameter sendAt: the time at which the messages are scheduled, in milliseconds; nil for at once.
    func acceptMessages(_ count: Int, sendAt: UInt64? = nil) throws {
        let registry = try open()
        _ = try registry.apply(.register(1))
        for _ in 0..<count {
            var message = Message.sample(to: .all)
            message.sendAt = sendAt.map { timestamp($0) }
            _ = try registry.apply(.accept(message, now: timestamp(1_000)))
        }
        registry.close()
    }
}
