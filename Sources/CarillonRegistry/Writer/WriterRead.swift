import CarillonCore
import CarillonLMDB

/// A short read that the writer runs between two slices of changes, in its open transaction: it shows every change that
/// was answered, and waits for no checkpoint.
struct WriterRead: Sendable {
    /// What the tables must contain of what the writer has in memory.
    enum Needs: Sendable {
        /// All that the writer has in memory.
        case everything
        /// What a page of a message is read from.
        case page(of: MessageID)
        /// What point reads look up. The read is given the devices that the writer knows.
        case pointReads(app: AppID)
    }

    /// Which device has an address, as far as the writer has it in memory.
    typealias KnownDevice = (AddressDigest, AppNumber) -> DeviceID?

    /// The principal of the reads that the server itself makes.
    static let server = ""
    /// The nanoseconds after which a read of many rows ends, and leaves the rest for its next turn.
    static let sliceNanoseconds: UInt64 = 500_000
    /// The bytes of audiences after which such a read ends, because its answers wait in memory until the client has
    /// taken those before them.
    static let maximumAnswerBytes = 16_384

    /// The principal that the read is made for: principals take turns.
    let principal: String
    let needs: Needs
    /// Reads what the caller wants. Called once, on the writer thread, unless `fail` is called.
    let run: @Sendable (borrowing ReadTransaction, Layout, KnownDevice) -> Void
    /// Called instead of the read if the registry has failed.
    let fail: @Sendable (RegistryError) -> Void
}
