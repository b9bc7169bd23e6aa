package import CarillonCore

/// The request REGISTER_BATCH (Protocol 7.2).
package struct RegisterBatchRequest: IndividualOperation {
    package static let opcode = Opcode.registerBatch

    /// The items in order, 1 to 1,000: each is a registration, or the fault for which it could not be read.
    package var items: [Result<Registration, WireError>]

    /// Makes a REGISTER_BATCH of items as they were read.
    package init(items: [Result<Registration, WireError>]) {
        self.items = items
    }

    package init(_ registrations: some Sequence<Registration>) {
        items = registrations.map { .success($0) }
    }

    /// The items that could be read.
    package var registrations: [Registration] {
        items.compactMap { item in
            if case .success(let registration) = item { registration } else { nil }
        }
    }

    package var isRepeatable: Bool { registrations.allSatisfy(\.isRepeatable) }

    package consuming func individualRequest() -> IndividualRequest { .registerBatch(self) }
}

/// The answer for one item of a REGISTER_BATCH (Protocol 7.2).
package enum RegisterBatchItemAnswer: Hashable, Sendable {
    case registered(DeviceID, RegisterResultKind)
    case refused(ErrorCode)

    /// The number of bytes of an item's answer on the wire.
    package static let byteCount = 2 + 8 + 1
}

extension Opcode {
    package static let registerBatch = Opcode(rawValue: 0x0011)
}

// MARK: Codec (Protocol 7.2)

extension RegisterBatchRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        var items: [Result<Registration, WireError>] = []
        try reader.list("items", elementBytes: 4) { reader, index throws(WireError) in
            let bytes = try reader.blob("items")
            if index < WireLimits.batchItems { items.append(Self.item(bytes)) }
        } counted: { reader, count in
            guard !(1...WireLimits.batchItems).contains(count) else { return }
            let limit = WireLimits.batchItems
            reader.recordInvalid(
                "items", because: "\(count) items, not 1 to \(limit)", limit: count > limit ? UInt64(limit) : nil)
        }
        self.items = items
        try common.finish(&reader)
    }

    private static func item(_ bytes: UnsafeRawBufferPointer) -> Result<Registration, WireError> {
        var reader = PayloadReader(bytes)
        var common = CommonFields()
        do {
            return .success(try Registration(from: &reader, common: &common))
        } catch {
            return .failure(error)
        }
    }

    /// The most bytes of a request besides its items: the number of items, and the common fields.
    package static let maximumBytesWithoutItems = 4 + CommonFields.maximumBytes

    /// Appends the payload; items that could not be read are left out.
    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.list(registrations) { writer, item in
            writer.nested { item.write(to: &$0, common: CommonFields()) }
        }
        writer.tags(common)
    }

    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> [RegisterBatchItemAnswer] {
        var results: [RegisterBatchItemAnswer] = []
        try reader.list("results", elementBytes: RegisterBatchItemAnswer.byteCount) { reader, _ throws(WireError) in
            let code = ErrorCode(rawValue: try reader.u16("code"))
            let id = try reader.deviceID()
            let result = RegisterResultKind(rawValue: try reader.u8("result"))
            results.append(code.rawValue == 0 ? .registered(id, result) : .refused(code))
        }
        try reader.finishAnswer()
        return results
    }

    package static func write(_ answer: [RegisterBatchItemAnswer], to writer: inout FrameWriter) {
        writer.list(answer) { writer, result in
            switch result {
            case .registered(let device, let result):
                writer.u16(0)
                writer.u64(device.rawValue)
                writer.u8(result.rawValue)
            case .refused(let code):
                writer.u16(code.rawValue)
                writer.u64(0)
                writer.u8(0)
            }
        }
    }
}

extension Registration {
    /// The most bytes of an item besides its texts, tokens and subscription: the length of the item, what each
    /// registration has, the number of tagged fields, and for each of the seven its tag, its length and the number of
    /// its elements.
    private static let maximumItemBytesWithoutValues = 4 + (2 + 1 + 1 + 1 + 8) + 1 + 7 * (1 + 5 + 4)

    /// The most bytes of the registration as an item of a REGISTER_BATCH. Of its values only a browser's subscription
    /// is encoded to be counted.
    package var maximumItemBytes: Int {
        var bytes = Self.maximumItemBytesWithoutValues + app.name.utf8.count
        bytes += address.token.bytes.count + (replaces?.bytes.count ?? 0) + (subscription?.json.count ?? 0)
        bytes += (locale?.utf8.count ?? 0) + (timeZone?.utf8.count ?? 0)
        // Before each text of a list stands its length, of two bytes.
        for change in attributes { bytes += 2 + change.key.name.utf8.count + 2 + (change.value?.text.utf8.count ?? 0) }
        for topic in topics { bytes += 2 + topic.name.utf8.count }
        for group in groups { bytes += 2 + group.name.utf8.count }
        return bytes
    }
}
