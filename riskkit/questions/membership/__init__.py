"""was this record in? The membership game on chosen targets"""
