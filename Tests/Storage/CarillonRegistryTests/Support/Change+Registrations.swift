import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit

extension Change {
    /// Makes registrations of devices with random tokens, other ones in each round.
    static func registrations(_ count: Int, round: Int) -> [Change] {
        (0..<count).map { index in
            let number = UInt64(round * count + index) &* 0x9E37_79B9_7F4A_7C15
            let bytes = UUIDBytes(high: number, low: ~number).bytes
            let address = DeviceAddress(environment: .production, kind: .device, token: DeviceToken(bytes + bytes)!)
            return .register(Registration(app: game, address: address), now: timestamp(1_000))
        }
    }
}

extension LMDBRegistry {
    /// Applies changes round after round until they are refused, in at most 1,000 rounds.
    ///
    /// - Returns: the number of changes that were applied, and the refusal; nil if nothing was refused.
    func applyUntilRefused(
        _ changes: (_ round: Int) -> [Change]
    ) throws -> (applied: Int, refusal: RegistryError?) {
        var applied = 0
        for round in 0..<1_000 {
            do {
                applied += try apply(changes(round)).count
            } catch let error as RegistryError {
                return (applied, error)
            }
        }
        return (applied, nil)
    }
}
