import CarillonCore
import CarillonLMDB

/// A short read that the writer runs between two slices of changes, in its open transaction: it shows every change that
/// was answered, and waits for no checkpoint.
struct WriterRead: Sendable {
    /// The buffered rows that must be in the tables before the read.
    enum Needs: Sendable {
        /// The read needs all that the writer has in memory.
        case everything
        /// The read needs the rows from which a page of a message is read.
        case page(of: MessageID)
        /// The read needs the rows that point reads look up. It is given the devices that the writer knows.
        case pointReads(app: AppID)
    }

    /// A lookup of the device that has an address; nil if the writer does not have it in memory.
    typealias KnownDeviceLookup = (AddressDigest, AppNumber) -> DeviceID?

    /// The principal of the reads that the server itself makes.
    static let serverPrincipal = ""
    /// The nanoseconds after which a read of many rows ends, and leaves the rest for its next turn.
    static let timeSliceNanoseconds: UInt64 = 500_000
    /// The bytes of audiences after which a read of many rows ends. The answers wait in memory until the client has
    /// taken the answers before them, and a slow client must not fill the memory.
    static let maximumAnswerBytes = 16_384

    /// The principal that the read is made for: principals take turns.
    let principal: String
    let needs: Needs
    /// Reads. Called once, on the writer thread, unless `fail` is called.
    let run: @Sendable (borrowing ReadTransaction, Tables, KnownDeviceLookup) -> Void
    /// Called instead of `run` if the registry has failed.
    let fail: @Sendable (RegistryError) -> Void
}
