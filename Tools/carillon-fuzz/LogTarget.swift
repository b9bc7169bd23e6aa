import CarillonCore
import CarillonRegistry

/// The mutations of a record of the write-ahead log. They are read or refused, and a mutation that was read is written
/// as it is read again.
enum LogTarget {
    static func run(_ input: inout FuzzInput) {
        let bytes = input.rest()
        // Why try?: bytes that are no mutations are refused, as they should be.
        guard let written = try? ChangeRecordCodec.rewritten(mutations: bytes) else { return }
        do {
            demand(
                try ChangeRecordCodec.rewritten(mutations: written) == written,
                "mutations that were written are read differently")
        } catch {
            demand(false, "mutations that were written are refused: \(error)")
        }
    }
}
