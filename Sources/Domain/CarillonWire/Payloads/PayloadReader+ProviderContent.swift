import CarillonCore

/// Reads the fields of a SEND for Android devices or for browsers alone (Protocol 10.1).
extension PayloadReader {
    /// Reads a field for Android devices or for browsers into the content.
    mutating func readProviderContent(
        _ value: UnsafeRawBufferPointer, tag: UInt32, into content: inout MessageContent
    ) {
        switch tag {
        case SendTag.android, SendTag.rawAndroid: content.android = android(value, tag: tag, beside: content)
        default: content.web = web(value, tag: tag, beside: content)
        }
    }

    /// Reads the field `android` or `android_raw`.
    private mutating func android(
        _ value: UnsafeRawBufferPointer, tag: UInt32, beside content: MessageContent
    ) -> AndroidContent {
        let android = tag == SendTag.android ? AndroidContent.overrides(Array(value)) : .raw(Array(value))
        let field = tag == SendTag.android ? "android" : "android_raw"
        if content.android != nil { recordInvalid(field, because: "android and android_raw exclude each other") }
        recordInvalid(field) { () throws(MessageError) in
            try MessageRules.checkAndroid(android, for: content.pushType)
        }
        return android
    }

    /// Reads the field `web` or `web_raw`.
    private mutating func web(
        _ value: UnsafeRawBufferPointer, tag: UInt32, beside content: MessageContent
    ) -> WebContent {
        let web = tag == SendTag.web ? WebContent.overrides(Array(value)) : .raw(Array(value))
        let field = tag == SendTag.web ? "web" : "web_raw"
        if content.web != nil { recordInvalid(field, because: "web and web_raw exclude each other") }
        recordInvalid(field) { () throws(MessageError) in
            try MessageRules.checkWeb(web, for: content.pushType)
        }
        return web
    }
}

extension MessageContent {
    /// The tagged field of the content for Android devices; nil if it has none.
    var androidField: FrameWriter.TaggedField? {
        switch android {
        case nil: nil
        case .overrides(let bytes): FrameWriter.field(SendTag.android, bytes)
        case .raw(let bytes): FrameWriter.field(SendTag.rawAndroid, bytes)
        }
    }

    /// The tagged field of the content for browsers; nil if it has none.
    var webField: FrameWriter.TaggedField? {
        switch web {
        case nil: nil
        case .overrides(let bytes): FrameWriter.field(SendTag.web, bytes)
        case .raw(let bytes): FrameWriter.field(SendTag.rawWeb, bytes)
        }
    }
}
