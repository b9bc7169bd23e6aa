package import Foundation

extension FileHandle {
    /// Reads lines until the end, and calls `received` for each, without its newline. Then calls it with nil. A last
    /// line without a newline is not passed.
    ///
    /// A thread of its own reads. A source of Dispatch would not do: one such source crashed a run of the tests,
    /// because Dispatch used its memory after the end of the file had freed it.
    package func readLines(_ received: @escaping @Sendable (_ line: Data?) -> Void) {
        Thread.detachNewThread {
            var unread = Data()
            while true {
                let data = self.availableData
                if data.isEmpty { break }
                unread += data
                while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    received(Data(unread[..<end]))
                    unread = Data(unread[(end + 1)...])
                }
            }
            received(nil)
        }
    }
}
