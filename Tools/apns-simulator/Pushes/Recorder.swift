import CarillonSimulator
import Glibc

/// Writes the lines of `--record` and `--print`.
struct Recorder {
    /// The file descriptor for JSON Lines; -1 if no file is written.
    var file: Int32 = -1
    var prints = false
    private var pending: [UInt8] = []
    private var printed: [UInt8] = []

    init(path: String?, prints: Bool) throws(SimulatorError) {
        self.prints = prints
        guard let path else { return }
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if file < 0 { throw SimulatorError(text: "cannot open \(path): \(String(cString: strerror(errno)))") }
    }

    /// Appends the lines of a push, which `flush` writes.
    mutating func append(_ push: ReceivedPush, at arrival: RequestArrival, response: SimulatedResponse) {
        guard file >= 0 || prints else { return }
        let token = push.deviceToken?.text ?? ""
        let (status, reason) =
            switch response {
            case .accepted: (UInt16(200), "")
            case .rejected(let rejection): (rejection.status, rejection.reason)
            case .channel(let response): (response.status, response.reason)
            }
        if file >= 0 {
            let line = makeLine(push, at: arrival, token: token, status: status, reason: reason)
            pending += Array(line.utf8)
        }
        if prints {
            let topic = push.topic?.text ?? "-"
            let target = push.channelID.map { "channel \($0.text)" } ?? token
            printed += Array("\(status) \(reason) \(target) \(topic) \(push.payload.text)\n".utf8)
        }
    }

    private func makeLine(
        _ push: ReceivedPush, at arrival: RequestArrival, token: String, status: UInt16, reason: String
    ) -> String {
        var fields = [
            "\"time\":\(millisecondsSince1970())", "\"token\":\(token.asJSON)",
            "\"apns-id\":\(arrival.id.text.asJSON)",
        ]
        for (name, value) in [
            ("topic", push.topic), ("push-type", push.pushType), ("priority", push.priority),
            ("expiration", push.expiration), ("collapse-id", push.collapseID), ("channel-id", push.channelID),
        ] {
            if let value { fields.append("\(name.asJSON):\(value.text.asJSON)") }
        }
        if status == 200, let uniqueID = arrival.uniqueID { fields.append("\"unique-id\":\(uniqueID.asJSON)") }
        fields.append("\"payload\":\(push.payload.text.asJSON)")
        fields.append("\"status\":\(status)")
        if !reason.isEmpty { fields.append("\"reason\":\(reason.asJSON)") }
        return "{" + fields.joined(separator: ",") + "}\n"
    }

    mutating func flush() {
        write(&pending, to: file)
        write(&printed, to: STDOUT_FILENO)
    }

    private func write(_ bytes: inout [UInt8], to file: Int32) {
        if bytes.isEmpty || file < 0 { return }
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.write(file, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                if count <= 0 { break }
                sent += count
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
