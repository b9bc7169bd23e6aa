import CarillonCore
import CarillonRegistry

/// The codec of the write-ahead log, which gets the mutations of a record. Mutations that were read are written, and
/// must be read the same again.
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
